import { setImmediate as nextTick } from 'node:timers/promises';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import {
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  defaultFieldResolver,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql';
import { type BuildSchemaOptions, buildSchema, createResolversMap } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { type CallContext, checkAudience, requireService } from '../callers/caller';
import { offerChecks } from './checked-mutations';

const FEDERATION =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external", "@inaccessible"])';

/** Resolves an entity reference `{ __typename, <key> }` of the gateway. */
export type ReferenceResolver = (reference: never, context: CallContext, info: GraphQLResolveInfo) => unknown;

/** Inputs of a subgraph's schema. */
interface SubgraphSchemaOptions {
  readonly resolvers: BuildSchemaOptions['resolvers'];
  /** Object types that no root field reaches (entities that another subgraph owns). */
  readonly orphanedTypes?: NonNullable<BuildSchemaOptions['orphanedTypes']>;
  /** Reference resolvers by entity name. */
  readonly references: Record<string, ReferenceResolver>;
  readonly scalarsMap?: NonNullable<BuildSchemaOptions['scalarsMap']>;
  readonly container?: NonNullable<BuildSchemaOptions['container']>;
}

/** The executable schema, its SDL for composition, and the audience of each root field. */
export interface SubgraphSchema {
  readonly schema: GraphQLSchema;
  readonly sdl: string;
  readonly audiences: Record<string, readonly string[]>;
}

/**
 * type-graphql requires a PubSub for subscription fields. The gateway executes subscriptions, so nothing is ever
 * published here.
 */
const NO_TOPICS: NonNullable<BuildSchemaOptions['pubSub']> = {
  publish: () => undefined,
  subscribe: () => {
    throw new Error('the gateway executes subscriptions');
  },
};

/**
 * The resolver of a subscription field in its subgraph: throws VAL003. The gateway reads the event log and executes a
 * query for each event, so that a selection may include several subgraphs.
 */
export function followedByGateway(): never {
  throw new RegisterError('VAL003', 'Subscriptions require WebSocket or Server-Sent Events.');
}

/**
 * Builds a Federation 2 subgraph from type-graphql classes. Yields to the event loop between its steps, which take
 * long.
 */
export async function buildFederatedSchema(options: SubgraphSchemaOptions): Promise<SubgraphSchema> {
  const built = await buildSchema({
    resolvers: options.resolvers,
    orphanedTypes: options.orphanedTypes ?? [],
    scalarsMap: options.scalarsMap ?? [],
    ...(options.container ? { container: options.container } : {}),
    authChecker: checkAudience,
    pubSub: NO_TOPICS,
    validate: false,
    skipCheck: true,
  } as BuildSchemaOptions);
  useDefaultsForNull(built);
  offerChecks(built);
  describeAudiences(built);
  await nextTick();
  const sdl = `${FEDERATION}\n\n${printSchemaWithDirectives(built)}\n`;
  const resolvers = createResolversMap(built) as Record<string, Record<string, unknown>>;
  for (const [type, resolveReference] of Object.entries(options.references)) {
    // An exception outside a promise would fail the whole list of entities.
    const asynchronous: ReferenceResolver = async (...reference) => resolveReference(...reference);
    resolvers[type] = { ...resolvers[type], __resolveReference: asynchronous };
  }
  await nextTick();
  const schema = buildSubgraphSchema({ typeDefs: parse(sdl), resolvers: resolvers as never });
  const audiences = audiencesOf(built);
  rejectOtherServices(schema, audiences);
  return { schema, sdl, audiences };
}

/**
 * Rejects the request of a service in its own name for a root field whose audience does not contain the service. It
 * covers the fields that unauthenticated clients may call, and `_entities` and `_service` of federation, which have no audience.
 */
function rejectOtherServices(schema: GraphQLSchema, audiences: SubgraphSchema['audiences']): void {
  for (const root of rootTypesOf(schema)) {
    for (const field of Object.values(root.getFields())) {
      const { resolve = defaultFieldResolver } = field;
      const audience = audiences[`${root.name}.${field.name}`] ?? [];
      field.resolve = (source, parameters, context: CallContext, info) => {
        if (context.service !== null) requireService(audience, context.service);
        return resolve(source, parameters, context, info) as unknown;
      };
    }
  }
}

function rootTypesOf(schema: GraphQLSchema): readonly GraphQLObjectType[] {
  return [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter((type) => type != null);
}

/**
 * Passes the default of an optional argument to its resolver instead of null. GraphQL permits null there, and clients
 * send it for a variable that has no value, such as the size of a page.
 */
function useDefaultsForNull(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      const optional = field.args.filter((each) => each.defaultValue != null && !isNonNullType(each.type));
      if (!resolve || optional.length === 0) continue;
      field.resolve = (root, given, context, info) => {
        const parameters = { ...given };
        for (const { name, defaultValue } of optional) parameters[name] ??= defaultValue;
        return resolve(root, parameters, context, info);
      };
    }
  }
}

/** Adds to the description of each field of clients the roles that may call it, so that introspection shows them. */
function describeAudiences(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const audience = (field.extensions['audience'] ?? []) as readonly string[];
      const roles = audience.includes('anyone') || audience.includes('public') ? [WITHOUT_TOKEN] : rolesOf(audience);
      if (roles.length > 0)
        field.description = [field.description, `Roles: ${roles.join(', ')}.`].filter(Boolean).join(' ');
    }
  }
}

const WITHOUT_TOKEN = 'all, also without a token';

/** Returns the roles of an audience: of consumers, also the scope that their token needs. */
function rolesOf(audience: readonly string[]): string[] {
  return audience
    .filter((each) => !each.startsWith('service:') && each !== 'inactive_consumer')
    .map((each) => each.replace(/^consumer:(.*)$/, 'consumer with the scope $1'));
}

/** Returns the audience of every root field, by names such as `Query.dataUser`. */
function audiencesOf(schema: GraphQLSchema): Record<string, readonly string[]> {
  return Object.fromEntries(
    rootTypesOf(schema).flatMap((root) =>
      Object.values(root.getFields()).map((field) => [
        `${root.name}.${field.name}`,
        (field.extensions['audience'] as readonly string[] | undefined) ?? [],
      ]),
    ),
  );
}
