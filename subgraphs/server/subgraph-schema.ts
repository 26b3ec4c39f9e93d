import 'reflect-metadata';
import { setImmediate as turn } from 'node:timers/promises';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { type GraphQLResolveInfo, type GraphQLSchema, parse } from 'graphql';
import { type BuildSchemaOptions, buildSchema, createResolversMap } from 'type-graphql';
import { RegisterError } from '../../schema/register-error';
import { type CallContext, checkAudience } from './caller';

const FEDERATION =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external", "@inaccessible"])';

/** Resolves a reference `{ __typename, <key> }` that the gateway sends. */
export type ReferenceResolver = (reference: never, context: CallContext, info: GraphQLResolveInfo) => unknown;

/** What a subgraph's schema is made of. */
export interface SubgraphSchemaParts {
  readonly resolvers: BuildSchemaOptions['resolvers'];
  /** Object types that no root field reaches (entities that another subgraph owns). */
  readonly orphanedTypes?: NonNullable<BuildSchemaOptions['orphanedTypes']>;
  /** Entity name to reference resolver. */
  readonly references: Record<string, ReferenceResolver>;
  readonly scalarsMap?: NonNullable<BuildSchemaOptions['scalarsMap']>;
  readonly container?: NonNullable<BuildSchemaOptions['container']>;
}

/** The executable subgraph, its SDL for composition, and who may call each root field. */
export interface SubgraphSchema {
  readonly schema: GraphQLSchema;
  readonly sdl: string;
  readonly audiences: Record<string, readonly string[]>;
}

/** A subgraph declares subscriptions; the gateway follows them, so nothing is ever published here. */
const NO_TOPICS: NonNullable<BuildSchemaOptions['pubSub']> = {
  publish: () => undefined,
  subscribe: () => {
    throw new Error('subscriptions are followed by the gateway');
  },
};

/**
 * The stream of a subscription field in its subgraph, which has none: the gateway answers each event by the query for it, so that
 * selections may cross subgraphs (architecture, decision 9). VAL003 for whoever asks the subgraph itself.
 */
export function followedByGateway(): never {
  throw new RegisterError('VAL003', 'Subscriptions are answered over WebSocket or as Server-Sent Events.');
}

/** Builds a Federation 2 subgraph from type-graphql classes; other work of the process goes on between its steps. */
export async function buildFederatedSchema(parts: SubgraphSchemaParts): Promise<SubgraphSchema> {
  const built = await buildSchema({
    resolvers: parts.resolvers,
    orphanedTypes: parts.orphanedTypes ?? [],
    scalarsMap: parts.scalarsMap ?? [],
    ...(parts.container ? { container: parts.container } : {}),
    authChecker: checkAudience,
    pubSub: NO_TOPICS,
    validate: false,
    skipCheck: true,
  } as BuildSchemaOptions);
  await turn();
  const sdl = `${FEDERATION}\n\n${printSchemaWithDirectives(built)}\n`;
  const resolvers = createResolversMap(built) as Record<string, Record<string, unknown>>;
  for (const [type, resolveReference] of Object.entries(parts.references)) {
    // A reference that throws at once would take the whole list of entities with it.
    const settled: ReferenceResolver = async (...reference) => resolveReference(...reference);
    resolvers[type] = { ...resolvers[type], __resolveReference: settled };
  }
  await turn();
  const schema = buildSubgraphSchema({ typeDefs: parse(sdl), resolvers: resolvers as never });
  return { schema, sdl, audiences: audiencesOf(built) };
}

/** `Query.dataUser` to its audience, for every root field. */
function audiencesOf(schema: GraphQLSchema): Record<string, readonly string[]> {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    (type) => type != null,
  );
  return Object.fromEntries(
    roots.flatMap((root) =>
      Object.values(root.getFields()).map((field) => [
        `${root.name}.${field.name}`,
        (field.extensions['audience'] as readonly string[] | undefined) ?? [],
      ]),
    ),
  );
}
