import { type ObjectType, type Schema, Supergraph, operationFromDocument } from '@apollo/federation-internals';
import { ApolloGateway, type GraphQLDataSource } from '@apollo/gateway';
import type { QueryPlan, QueryPlanner } from '@apollo/query-planner';
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Logger } from 'pino';
import { RegisterError } from '../schema/register-error';
import type { CallContext } from '../subgraphs/server/callers/caller';
import { formatError } from '../subgraphs/server/observability/failures';
import type { SubgraphLink } from '../subgraphs/server/graph/subgraph-link';
import { nameEnumValues, useRegisterScalars } from './requests/variables';

/** One operation of a document, ready to be planned or executed. */
export interface GraphOperation {
  readonly document: DocumentNode;
  readonly source: string;
  readonly operation: OperationDefinitionNode;
  readonly operationName: string | undefined;
  /** Key of the plan cache. */
  readonly queryHash: string;
}

/** A loaded supergraph: API schema, query planner and Apollo's general executor. */
export interface LoadedSupergraph {
  readonly gateway: ApolloGateway;
  readonly apiSchema: GraphQLSchema;
  readonly links: ReadonlyMap<string, SubgraphLink>;
  plan(operation: GraphOperation): QueryPlan;
  execute(
    operation: GraphOperation,
    variables: Record<string, unknown>,
    context: CallContext,
  ): Promise<ExecutionResult>;
}

/**
 * Loads a composed supergraph into `@apollo/gateway`. The URLs in the SDL are placeholders: requests go through the
 * links.
 */
export async function loadSupergraph(
  supergraphSdl: string,
  clientSdl: string,
  subgraphLinks: readonly SubgraphLink[],
  logger: Logger,
): Promise<LoadedSupergraph> {
  const links = new Map(subgraphLinks.map((link) => [link.name, link]));
  process.env['APOLLO_TELEMETRY_DISABLED'] = 'true'; // otherwise the library sends usage data to Apollo and probes for the cloud that it runs in
  const gateway = new ApolloGateway({
    supergraphSdl,
    validateSupergraph: false, // its composition by `npm run schema` has validated it
    logger: quietLogger(logger),
    buildService: ({ name }) => dataSource(name, links, logger),
  });
  const { schema, executor } = await gateway.load();
  useRegisterScalars(schema);
  nameEnumValues(schema, clientSdl);
  const planner = plannerOf(gateway);
  const planSchema = planner.supergraph.apiSchema();
  addIsOneOf(planSchema);
  return {
    gateway,
    apiSchema: schema,
    links,
    plan: ({ document, operationName }) =>
      planner.buildQueryPlan(
        operationFromDocument(planSchema, document, operationName === undefined ? {} : { operationName }),
      ),
    async execute(operation, variables, context) {
      const { source: query, operationName } = operation;
      const request = { query, variables, operationName };
      const apolloArguments = {
        schema,
        logger: quietLogger(logger),
        metrics: {},
        overallCachePolicy: {},
        cache: undefined,
      };
      return withNullErrors(await executor({ ...operation, ...apolloArguments, context, request } as never));
    },
  };
}

/** The API schema of a composed supergraph, for services that check themselves against it without running a gateway. */
export function apiSchemaOf(supergraphSdl: string): GraphQLSchema {
  const schema = Supergraph.build(supergraphSdl, { validateSupergraph: false }).apiSchema().toGraphQLJSSchema();
  useRegisterScalars(schema);
  return schema;
}

/**
 * Returns an error for a non-null field without a value, as GraphQL requires. `@apollo/gateway` reports it only in the
 * extension `valueCompletion`.
 */
function withNullErrors({ data, errors, extensions }: Awaited<ReturnType<ApolloGateway['executor']>>): ExecutionResult {
  const allErrors = errors ?? (extensions?.['valueCompletion'] ? [new RegisterError('SYS001')] : undefined);
  return {
    data: data as ExecutionResult['data'],
    ...(allErrors ? { errors: allErrors as readonly GraphQLError[] } : {}),
  };
}

/**
 * Adds `isOneOf` to the planner's introspection types, which are those of an earlier version of graphql-js: validation
 * admits the field, and the gateway's result comes from the present version.
 */
function addIsOneOf(schema: Schema): void {
  const type = schema.type('__Type') as ObjectType;
  schema['runWithBuiltInModificationAllowed'](() => type.addField('isOneOf', schema.booleanType()));
}

function plannerOf(gateway: ApolloGateway): QueryPlanner {
  const { queryPlanner } = gateway.__testing();
  if (!queryPlanner) throw new Error('the supergraph has no query planner');
  return queryPlanner;
}

/**
 * A data source that sends fetches over a subgraph's link. The planner's cache bounds the number of different texts;
 * the link caches parsed documents.
 */
function dataSource(name: string, links: ReadonlyMap<string, SubgraphLink>, logger: Logger): GraphQLDataSource {
  const link = links.get(name);
  if (!link) throw new Error(`no link to subgraph ${name}`);
  return {
    process: async ({ request: { query = '', variables, operationName }, context }) => {
      const call = context as CallContext;
      try {
        return (await link.execute({ query, variables, operationName }, call)) as never;
      } catch (error) {
        return { errors: [formatError(error, logger, call.transactionId)] };
      }
    },
  };
}

/** Replaces each message of `@apollo/gateway` by a fixed one, because its messages may quote operations. */
function quietLogger(logger: Logger) {
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: () => logger.warn('the gateway library reported a warning'),
    error: () => logger.error('the gateway library reported an error'),
  };
}
