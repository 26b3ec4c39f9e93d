import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import { type GraphQLSchema, printSchema } from 'graphql';

/**
 * Callers whose operations are not in the schema for clients: only the back office introspects in production, and the
 * sessions of customers belong to the portal.
 */
const NOT_CLIENTS: ReadonlySet<string> = new Set(['admin', 'analyst', 'customer']);

/**
 * Returns the API schema as clients may use it, as SDL: the root fields that unauthenticated clients, Data Users,
 * portals, suppliers, operators and RTI Users may call, and the types that these fields reach.
 */
export function clientSchemaOf(api: GraphQLSchema, audiences: Readonly<Record<string, readonly string[]>>): string {
  const isForClients = (field: string) =>
    (audiences[field] ?? []).some((caller) => !NOT_CLIENTS.has(caller) && !caller.startsWith('service:'));
  const schema = mapSchema(api, {
    [MapperKind.ROOT_FIELD]: (config, name, type) => (isForClients(`${type}.${name}`) ? config : null),
  });
  return `${printSchema(pruneSchema(schema))}\n`;
}
