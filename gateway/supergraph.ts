import { Supergraph, operationFromDocument } from '@apollo/federation-internals';
import { ApolloGateway, type GraphQLDataSource } from '@apollo/gateway';
import type { QueryPlan, QueryPlanner } from '@apollo/query-planner';
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Logger } from 'pino';
import { RegisterError } from '../schema/register-error';
import type { CallContext } from '../subgraphs/server/caller';
import { presentable } from '../subgraphs/server/failures';
import type { SubgraphLink } from '../subgraphs/server/subgraph-link';
import { teachScalars } from './variables';

/** One operation of a document, ready to be planned or executed. */
export interface GraphOperation {
  readonly document: DocumentNode;
  readonly source: string;
  readonly operation: OperationDefinitionNode;
  readonly operationName: string | undefined;
  /** The key under which the plan is kept. */
  readonly queryHash: string;
}

/** The supergraph, loaded: its API schema, its planner and its general executor. */
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

/** Loads a composed supergraph into `@apollo/gateway`; the URLs in it are placeholders, the links lead to the subgraphs. */
export async function loadSupergraph(
  supergraphSdl: string,
  ways: readonly SubgraphLink[],
  logger: Logger,
): Promise<LoadedSupergraph> {
  const links = new Map(ways.map((link) => [link.name, link]));
  process.env['APOLLO_TELEMETRY_DISABLED'] = 'true'; // the library would report its use to its maker, and look for the cloud it runs in
  const gateway = new ApolloGateway({
    supergraphSdl,
    logger: quiet(logger),
    buildService: ({ name }) => sourceOver(name, links, logger),
  });
  const { schema, executor } = await gateway.load();
  teachScalars(schema);
  const planner = plannerOf(gateway);
  const planSchema = planner.supergraph.apiSchema();
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
      const surroundings = { schema, logger: quiet(logger), metrics: {}, overallCachePolicy: {}, cache: undefined };
      return withCompletion(await executor({ ...operation, ...surroundings, context, request } as never));
    },
  };
}

/** What clients see of a composed supergraph, for a part that checks itself against it and has no gateway in its process. */
export function apiSchemaOf(supergraphSdl: string): GraphQLSchema {
  const schema = Supergraph.build(supergraphSdl).apiSchema().toGraphQLJSSchema();
  teachScalars(schema);
  return schema;
}

/** A non-null field without a value is an error, as in every GraphQL server; the gateway library tells it as an extension. */
function withCompletion({ data, errors, extensions }: Awaited<ReturnType<ApolloGateway['executor']>>): ExecutionResult {
  const faults = errors ?? (extensions?.['valueCompletion'] ? [new RegisterError('SYS001')] : undefined);
  return { data: data as ExecutionResult['data'], ...(faults ? { errors: faults as readonly GraphQLError[] } : {}) };
}

function plannerOf(gateway: ApolloGateway): QueryPlanner {
  const { queryPlanner } = gateway.__testing();
  if (!queryPlanner) throw new Error('the supergraph has no query planner');
  return queryPlanner;
}

/** A data source over the link; the planner's texts are bounded by its plan cache, and the link keeps parsed documents. */
function sourceOver(name: string, links: ReadonlyMap<string, SubgraphLink>, logger: Logger): GraphQLDataSource {
  const link = links.get(name);
  if (!link) throw new Error(`no way to subgraph ${name}`);
  return {
    process: async ({ request: { query = '', variables, operationName }, context }) => {
      const call = context as CallContext;
      try {
        return (await link.execute({ query, variables, operationName }, call)) as never;
      } catch (error) {
        return { errors: [presentable(error, logger, call.transactionId)] };
      }
    },
  };
}

/** The gateway tells nothing of its operations: its messages could quote them. */
function quiet(logger: Logger) {
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: () => logger.warn('the gateway library gave a warning'),
    error: () => logger.error('the gateway library reported an error'),
  };
}
