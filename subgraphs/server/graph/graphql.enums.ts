import { registerEnumType } from 'type-graphql';
import { enumName } from '../../../schema/naming';

/** A GraphQL enum whose names are made of the values that domain, database and wire use. */
export function graphqlEnum<Value extends string>(
  name: string,
  description: string,
  values: Readonly<Record<Value, string>>,
): Record<string, Value> {
  const members = Object.fromEntries((Object.keys(values) as Value[]).map((value) => [enumName(value), value]));
  const valuesConfig = Object.fromEntries(
    Object.entries<string>(values).map(([value, text]) => [enumName(value), { description: text }]),
  );
  registerEnumType(members, { name, description, valuesConfig });
  return members;
}
