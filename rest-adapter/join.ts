import {
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNullableType,
  isScalarType,
} from 'graphql';
import { enumName } from '../schema/naming';
import type { ContractSchema } from './contract';

/** The state of one walk: what does not fit together, and what the row of the route table speaks for. */
export interface Join {
  readonly problems: string[];
  /** Data that the row takes for headers: selected, though not in the contract. */
  readonly consumed: ReadonlySet<string>;
  /** Data that is nullable in the graph though the contract requires it: the row answers for it. */
  readonly excused: ReadonlySet<string>;
  /** Data that is one thing in the graph though the contract has a list: the row answers for it. */
  readonly listOfOne?: string | undefined;
  /** Whether null in the place of an optional member of a request is the same as leaving it out. */
  readonly takesNullAsAbsent?: boolean;
}

/** Both sides of an enum have the same values, by the naming function. */
export function enumProblems(wire: string, values: readonly (string | null)[], type: GraphQLEnumType): string[] {
  const names = new Set(values.map((value) => enumName(String(value))));
  const known = new Set(type.getValues().map(({ name }) => name));
  return [
    ...[...names].filter((name) => !known.has(name)).map((name) => `${wire}: no enum value ${name} in ${type.name}`),
    ...[...known]
      .filter((name) => !names.has(name))
      .map((name) => `${wire}: ${type.name}.${name} is not in the contract`),
  ];
}

/** The JSON type of the built-in scalars; every scalar of the register itself is a string, but JSONObject. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  Int: 'integer',
  Float: 'number',
  Boolean: 'boolean',
  JSONObject: 'object',
};

/** A number that the graph has as a text, so that none of its digits is lost on the way. */
export function isDecimalText({ type, format }: ContractSchema, scalar: GraphQLOutputType): boolean {
  return type === 'number' && format === 'decimal' && isScalarType(scalar) && !(scalar.name in JSON_TYPES);
}

/** A scalar has the JSON type that the contract says. */
export function leafProblem(
  wire: string,
  { type: expected }: ContractSchema,
  type: GraphQLInputType | GraphQLOutputType,
): string[] {
  const scalar = getNullableType(type);
  if (!isScalarType(scalar))
    return [`${wire}: ${String(expected)} in the contract, but ${String(scalar)} in the graph`];
  const found = JSON_TYPES[scalar.name] ?? 'string';
  return found === expected ? [] : [`${wire}: ${String(expected)} in the contract, but ${scalar.name} in the graph`];
}
