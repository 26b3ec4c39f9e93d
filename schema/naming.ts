/**
 * Converts a name of the REST contract to GraphQL: `kebab-case`, `snake_case` and `dotted.names` become camelCase. The reverse is
 * ambiguous, so the name in the contract is always read from the contract.
 */
export function graphqlName(wire: string): string {
  return wire.replace(/[-_.]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The name in GraphQL of an enum value of the REST contract. */
type EnumName<Wire extends string> = Wire extends `${infer Start}${'-' | '.'}${infer End}`
  ? `${Uppercase<Start>}_${EnumName<End>}`
  : Uppercase<Wire>;

/** Converts an enum value of the REST contract to GraphQL: `uk-consent` becomes `UK_CONSENT`. */
export function enumName<Wire extends string>(wire: Wire): EnumName<Wire> {
  return wire.replace(/[-.]+/g, '_').toUpperCase() as EnumName<Wire>;
}
