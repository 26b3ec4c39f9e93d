import {
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  buildSchema,
  parse,
  printSchema,
  validate,
} from 'graphql';
import { formatError } from '../../../gateway/requests/error-format';
import { nameEnumValues, variableCheck } from '../../../gateway/requests/variables';
import { RegisterError } from '../../../schema/register-error';

const schema = buildSchema(`
  enum State { ACTIVE ENDED }
  enum Hidden { SECRET }
  input Part { count: Int state: State ratio: Float on: Boolean text: String id: ID parts: [Part!] }
  type Query { find(text: String, count: Int, state: State, part: Part, ids: [ID!]): String }
`);

const SECRET = 'secretWord';

describe('an error never repeats a value', () => {
  it.each([
    'count: "secretWord"',
    'state: secretWord',
    'state: "secretWord"',
    'text: secretWord',
    'part: "secretWord"',
    'part: { count: "secretWord", on: "secretWord", ratio: "secretWord", id: { a: "secretWord" } }',
    'ids: [{ a: "secretWord" }]',
  ])('that the query contains as %s', (argument) => {
    const errors = validate(schema, parse(`{ find(${argument}) }`));
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(formatError(asApolloDoes(error)).message).not.toContain(SECRET);
  });

  it.each([
    { count: SECRET },
    { state: SECRET },
    { ratio: SECRET },
    { on: SECRET },
    { text: [SECRET] },
    { id: { a: SECRET } },
    { parts: [{ count: SECRET }] },
    { parts: SECRET },
    SECRET,
  ])('that a variable contains as %j', (part) => {
    const [operation] = parse('query Find($part: Part) { find(part: $part) }').definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
    const failure = failureOf(operation, { part });
    expect(failure.extensions.violations?.length).toBeGreaterThan(0);
    expect(JSON.stringify(failure)).not.toContain(SECRET);
  });
});

describe('an error of a variable', () => {
  const [operation] = parse('query Find($part: Part) { find(part: $part) }').definitions;

  it.each([
    ['unknown', 'The value does not exist in the enum "State", which has ACTIVE, ENDED'],
    [7, 'The value does not exist in the enum "State", which has ACTIVE, ENDED'],
    ['x" does not exist in "Hidden" enum', 'The value does not exist in the enum "State", which has ACTIVE, ENDED'],
  ])('names the values of the enum of its field: %j', (state, message) => {
    const { extensions } = failureOf(operation as OperationDefinitionNode, { part: { state } });
    expect(extensions.violations).toEqual([{ code: 'VAL003', path: ['state'], message }]);
  });
});

describe('an error of a literal', () => {
  const named = buildSchema(`${printSchema(schema)} extend type Query { hidden(of: Hidden): String }`);
  nameEnumValues(named, 'enum State { ACTIVE ENDED } type Query { find(state: State): String }');
  const messagesOf = (query: string) =>
    validate(named, parse(query)).map((error) => formatError(asApolloDoes(error)).message);

  it.each(['unknown', '"ACTIVE"', '7', '[{ a: 7 }]', '{ a: "x\\" does not exist in \\"Hidden\\" enum" }'])(
    'names the values of an enum of the schema for clients: %s',
    (value) => {
      const message = 'The value does not exist in the enum "State", which has ACTIVE, ENDED';
      expect(messagesOf(`{ find(state: ${value}) }`)).toEqual([message]);
      expect(messagesOf(`{ find(part: { state: ${value} }) }`)).toEqual([message]);
    },
  );

  it('names no value of another enum, because any client may send a document', () => {
    expect(messagesOf('{ hidden(of: unknown) }')).toEqual(['The value does not exist in the enum "Hidden"']);
  });

  it('has the location of the literal', () => {
    const [error] = validate(named, parse('{ find(state: unknown) }'));
    expect(formatError(asApolloDoes(error as GraphQLError)).locations).toEqual([{ line: 1, column: 15 }]);
  });
});

describe('an error of the catalogue', () => {
  it('contains code, violations and the seconds to wait, and nothing else', () => {
    const violation = { code: 'VAL006', path: ['a', 0], message: 'm' } as const;
    const error = new RegisterError('VAL006', 'broken', { violations: [violation], retryAfter: 3 });
    error.extensions['serviceName'] = 'access';
    expect(formatError(error)).toEqual({
      message: 'a.0: m',
      extensions: { code: 'VAL006', violations: [violation], retryAfter: 3 },
    });
  });

  it('has a message that names every violation and its field', () => {
    const violations = [
      { code: 'VAL003', path: ['input', 'licenceArea'], message: 'must be the code of a licence area' },
      { code: 'VAL003', path: ['rates', 3, 'unitPrice'], message: 'must have at most 5 decimal places' },
      { code: 'VAL002', path: [], message: 'mpxn or email is required' },
    ] as const;
    const { message, extensions } = formatError(new RegisterError('VAL003', violations[0].message, { violations }));
    expect(message).toBe(
      'input.licenceArea: must be the code of a licence area; rates.3.unitPrice: must have at most 5 decimal places; mpxn or email is required',
    );
    expect(extensions).toEqual({ code: 'VAL003', violations });
    const many = Array.from({ length: 100 }, () => violations[0]);
    expect(formatError(new RegisterError('VAL003', '', { violations: many })).message).toHaveLength(1_001);
  });

  it('replaces every other failure', () => {
    expect(formatError(new TypeError('secretWord'))).toEqual({
      message: 'Internal error.',
      extensions: { code: 'SYS001' },
    });
    expect(formatError(undefined)).toEqual({ message: 'Internal error.', extensions: { code: 'SYS001' } });
  });
});

function asApolloDoes(error: GraphQLError): GraphQLError {
  error.extensions['code'] = 'GRAPHQL_VALIDATION_FAILED';
  return error;
}

function failureOf(operation: OperationDefinitionNode, variables: Record<string, unknown>) {
  try {
    variableCheck(operation, schema)(variables);
  } catch (error) {
    return formatError(error);
  }
  throw new Error('nothing was refused');
}
