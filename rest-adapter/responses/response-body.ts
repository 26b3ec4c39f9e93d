import { type GraphQLObjectType, type OperationDefinitionNode, isNonNullType } from 'graphql';
import type { ContractOperation } from '../contract/contract';
import type { MappingContext } from '../contract/contract-mapping';
import type { ContractSchema } from '../contract/contract-schema';
import { type Data, dataAt, descend } from '../contract/data-path';
import type { RouteRow } from '../route-table';
import type { ResponseMetadata } from './envelope';
import { responseMembers, selectedFields } from './response-mapper';

/** Builds the JSON body of a response from the data; `repeated` contains the parameters to repeat. */
export type BodyBuilder = (
  data: Data,
  metadata: ResponseMetadata,
  repeated: Readonly<Record<string, unknown>>,
) => Record<string, unknown>;

interface BodyInput {
  readonly operation: ContractOperation;
  readonly document: OperationDefinitionNode;
  readonly row: RouteRow;
}

/** Compiles the body that the contract documents, and reports what the data or the row lacks for it. */
export function compileBody(
  mapping: MappingContext,
  { operation, document, row }: BodyInput,
  { properties = {}, ...schema }: ContractSchema,
  root: GraphQLObjectType,
): BodyBuilder {
  const excluded = new Set(['response', ...(row.echo ?? [])]);
  const repeatedNames = (row.echo ?? []).filter((name) => name in properties);
  for (const name of row.echo ?? []) {
    if (!(name in properties)) mapping.problems.push(`/${name}: repeated by the row, but not in the contract`);
    if (!operation.parameters.some((parameter) => parameter.name === name))
      mapping.problems.push(`/${name}: no such parameter`);
  }
  const own = Object.fromEntries(Object.entries(properties).filter(([name]) => !excluded.has(name)));
  const at = descend(mapping, row.spread, root, document);
  const members = responseMembers(mapping, {
    ...at,
    schema: { ...schema, properties: own },
    wire: '',
    data: row.spread ?? '',
  });
  const payload = dataAt(row.spread);
  const enveloped = 'response' in properties;
  return (data, metadata, repeated) => {
    const body: Record<string, unknown> = enveloped ? { response: metadata } : {};
    for (const name of repeatedNames) body[name] = repeated[name];
    members(body, payload(data));
    return body;
  };
}

/**
 * Reports the mismatches of a response without a body. It cannot express null: every selected field must be non-null, or nullable by the row of the
 * route table.
 */
export function emptyBodyProblems(
  mapping: MappingContext,
  { document, row }: BodyInput,
  root: GraphQLObjectType,
): string[] {
  const excluded = [row.spread, ...(row.echo ?? [])].filter((path) => path !== undefined);
  const fields = [...selectedFields(mapping, document.selectionSet, '')];
  const nullable = fields.filter(([key, { name }]) => {
    const type = root.getFields()[name.value]?.type;
    return !isNonNullType(type) && !mapping.nullableByRow.has(key);
  });
  return [
    ...excluded.map((path) => `the row names ${path}, but the response has no body`),
    ...nullable.map(([key]) => `the response has no body, but ${key} is nullable`),
  ];
}
