import {
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNullableType,
  isScalarType,
} from 'graphql';
import { enumName } from '../../schema/naming';
import type { ContractSchema } from './contract-schema';

/**
 * Context of mapping one operation of the contract to GraphQL: the problems found, and the exceptions that its row
 * declares.
 */
export interface MappingContext {
  readonly problems: string[];
  /** Data paths that the row uses for headers or status: selected, though not in the contract. */
  readonly headerSources: ReadonlySet<string>;
  /** Data paths that are nullable in GraphQL though the contract requires them; the row allows it. */
  readonly nullableByRow: ReadonlySet<string>;
  /** Data path of a single object that the contract wraps in a list. */
  readonly listOfOne?: string | undefined;
  /** Null for an optional member of a request means the same as its absence. */
  readonly takesNullAsAbsent?: boolean;
}

/** Reports values that only one of the two enums has; `enumName` maps their names. */
export function enumProblems(wire: string, values: readonly (string | null)[], type: GraphQLEnumType): string[] {
  const names = new Set<string>(values.map((value) => enumName(String(value))));
  const known = new Set(type.getValues().map(({ name }) => name));
  return [
    ...[...names].filter((name) => !known.has(name)).map((name) => `${wire}: no enum value ${name} in ${type.name}`),
    ...[...known]
      .filter((name) => !names.has(name))
      .map((name) => `${wire}: ${type.name}.${name} is not in the contract`),
  ];
}

/** JSON types of scalars; every scalar not listed here is a string. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  Int: 'integer',
  Float: 'number',
  Boolean: 'boolean',
  JSONObject: 'object',
};

/** Returns true for a number that GraphQL represents as text to preserve its digits. */
export function isDecimalText({ type, format }: ContractSchema, scalar: GraphQLOutputType): boolean {
  return type === 'number' && format === 'decimal' && isScalarType(scalar) && !(scalar.name in JSON_TYPES);
}

/** Reports a scalar whose JSON type differs from the contract's. */
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
