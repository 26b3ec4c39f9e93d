import { registerEnumType } from 'type-graphql';
import { enumName } from '../../../schema/naming';

/**
 * Registers a GraphQL enum. Its values are those of the domain, the database and the wire; `nameOf` derives the GraphQL
 * name of a value.
 */
export function graphqlEnum<Value extends string>(
  name: string,
  description: string,
  descriptions: Readonly<Record<Value, string>>,
  nameOf: (value: Value) => string = enumName,
): Record<string, Value> {
  const entries = Object.entries<string>(descriptions) as [Value, string][];
  const members = Object.fromEntries(entries.map(([value]) => [nameOf(value), value]));
  const valuesConfig = Object.fromEntries(entries.map(([value, text]) => [nameOf(value), { description: text }]));
  registerEnumType(members, { name, description, valuesConfig });
  return members;
}
