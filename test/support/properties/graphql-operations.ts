import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { HOSTILE } from './contract-violations';

/** The body of a GraphQL request. */
export interface OperationRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A piece of an operation, and the variables that it needs. */
interface Piece {
  readonly text: string;
  readonly variables: readonly Variable[];
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
}

/** Valid values of the scalars by name; each test run adds those of its register. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

const SCALARS: KnownValues = {
  String: ['a', '', 'é'.repeat(300)],
  ID: ['acc_000000000000000000000000'],
  Int: [0, 1, 500, -1, 2_147_483_647],
  Float: [0.5],
  Boolean: [true, false],
  DateTime: ['2026-01-01T00:00:00Z', '2020-01-01T00:00:00+01:00'],
  Date: ['2021-04-01'],
  AccessKey: [`ak_${'0'.repeat(24)}`],
  IdentityRecordKey: [`ir_${'0'.repeat(24)}`],
  DUID: [`duid_${'0'.repeat(24)}`],
  WebhookId: [`wid_${'0'.repeat(24)}`],
  EventId: [`evt_${'0'.repeat(24)}`],
  EmailAddress: ['operations@harbourlight.example'],
  MPxN: ['1012345678'],
  URI: ['https://harbourlight.example/'],
  JSONObject: [{}, { a: [1, null] }],
};

const WRONG: readonly unknown[] = [
  HOSTILE,
  `${HOSTILE}\0`,
  '\ud800',
  4711,
  -0.5,
  1e300,
  true,
  [HOSTILE],
  { inner: HOSTILE },
  null,
  [[[]]],
  '',
];

/** Random operations of a schema: mostly well-formed, with valid and invalid values in equal parts. */
export function operationsOf(
  schema: GraphQLSchema,
  known: KnownValues,
  without: readonly string[] = [],
): fc.Arbitrary<OperationRequest> {
  const values = inputValues({
    ...SCALARS,
    ...Object.fromEntries(Object.entries(known).map(([name, all]) => [name, [...(SCALARS[name] ?? []), ...all]])),
  });
  const roots = [schema.getQueryType(), schema.getMutationType()].filter((type) => isObjectType(type));
  return fc.oneof(
    ...roots.map((root) => rootSelections(root, values, without).map((piece) => operationOf(root, piece))),
  );
}

function operationOf(root: GraphQLObjectType, { text, variables }: Piece): OperationRequest {
  const declared = variables.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const given = variables.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]);
  return {
    query: `${root.name.toLowerCase()} Some${declared === '' ? '' : `(${declared})`} ${text}`,
    variables: Object.fromEntries(given) as Record<string, unknown>,
  };
}

type InputValues = (type: GraphQLInputType) => fc.Arbitrary<unknown>;

function rootSelections(root: GraphQLObjectType, values: InputValues, without: readonly string[]): fc.Arbitrary<Piece> {
  const fields = Object.values(root.getFields()).filter(({ name }) => !without.includes(name));
  return selections(fields, values, 'r', 4, root.name === 'Mutation' ? 1 : 3);
}

const DEPTH_LEAVES: readonly string[] = ['__typename'];

function selections(
  fields: readonly GraphQLField<unknown, unknown>[],
  values: InputValues,
  path: string,
  depth: number,
  most: number,
): fc.Arbitrary<Piece> {
  const leaves = depth > 0 ? fields : fields.filter(({ type }) => !isObjectType(getNamedType(type)));
  if (leaves.length === 0) return fc.constant({ text: `{ ${DEPTH_LEAVES.join(' ')} }`, variables: [] });
  return fc
    .subarray([...leaves], { minLength: 1, maxLength: Math.min(most, leaves.length) })
    .chain((chosen) => fc.tuple(...chosen.map((field) => fieldPieces(field, values, `${path}_${field.name}`, depth))))
    .map((pieces) => ({
      text: `{ ${pieces.map(({ text }) => text).join(' ')} }`,
      variables: pieces.flatMap(({ variables }) => variables),
    }));
}

function fieldPieces(
  field: GraphQLField<unknown, unknown>,
  values: InputValues,
  path: string,
  depth: number,
): fc.Arbitrary<Piece> {
  const type = getNamedType(field.type);
  const inner = isObjectType(type)
    ? selections(Object.values(type.getFields()), values, path, depth - 1, 4)
    : fc.constant({ text: '', variables: [] });
  const given = fc.tuple(...field.args.map((argument) => argumentPieces(argument, values, `${path}_${argument.name}`)));
  const directives = fc.oneof(
    { weight: 60, arbitrary: fc.constant('') },
    { weight: 3, arbitrary: fc.constantFrom(' @include(if: true)', ' @skip(if: false)', ' @include(if: false)') },
    { weight: 1, arbitrary: fc.constantFrom(' @unknown', ' @deprecated') },
  );
  return fc
    .tuple(given, inner, directives, fc.constantFrom('', '', '', '', `${field.name}Too: `))
    .map(([pieces, selected, directive, alias]) => {
      const present = pieces.filter(({ text }) => text !== '');
      const listed = present.length === 0 ? '' : `(${present.map(({ text }) => text).join(', ')})`;
      return {
        text: `${alias}${field.name}${listed}${directive} ${selected.text}`,
        variables: [...present.flatMap(({ variables }) => variables), ...selected.variables],
      };
    });
}

function argumentPieces({ name, type }: GraphQLArgument, values: InputValues, path: string): fc.Arbitrary<Piece> {
  const how = fc.constantFrom(...Array<string>(6).fill('variable'), 'literal', 'absent', 'absent');
  return fc.tuple(how, values(type)).map(([chosen, value]) => {
    if (chosen === 'absent' && !isNonNullType(type)) return { text: '', variables: [] };
    if (chosen === 'literal') return { text: `${name}: ${literal(value)}`, variables: [] };
    return { text: `${name}: $${path}`, variables: [{ name: path, type: String(type), value }] };
  });
}

/** A value as a literal in an operation. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${name}: ${literal(member)}`)
    .join(', ')} }`;
}

function inputValues(known: KnownValues): InputValues {
  const right = (type: GraphQLInputType, depth: number): fc.Arbitrary<unknown> => {
    if (isNonNullType(type)) return right(type.ofType as GraphQLInputType, depth);
    if (isListType(type)) return fc.array(any(type.ofType as GraphQLInputType, depth), { maxLength: 3 });
    if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name));
    if (!isInputObjectType(type)) return fc.constantFrom(...(known[type.name] ?? [HOSTILE]));
    const fields = Object.values(type.getFields());
    const shape = Object.fromEntries(fields.map((field) => [field.name, any(field.type, depth + 1)]));
    const requiredKeys = fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name);
    return fc.record(shape, { requiredKeys, noNullPrototype: true });
  };
  const any: (type: GraphQLInputType, depth: number) => fc.Arbitrary<unknown> = (type, depth) =>
    fc.oneof(
      { weight: depth === 0 ? 12 : 40, arbitrary: right(type, depth) },
      { weight: 1, arbitrary: fc.constantFrom(...WRONG) },
    );
  return (type) => any(type, 0);
}
