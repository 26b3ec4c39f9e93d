/**
 * The one naming function between the wire and the graph, in one direction (spikes.md, 1): `kebab-case`, `snake_case`
 * and `dotted.names` of the contract become the camelCase of GraphQL. The wire name is always read from the contract.
 */
export function graphqlName(wire: string): string {
  return wire.replace(/[-_.]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The GraphQL enum value of a value on the wire: `uk-consent` becomes `UK_CONSENT`. */
export function enumName(wire: string): string {
  return wire.replace(/[-.]+/g, '_').toUpperCase();
}
