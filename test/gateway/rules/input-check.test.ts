import { buildSchema, coerceInputValue, isInputType, parseType, typeFromAST } from 'graphql';
import { useRegisterScalars } from '../../../gateway/requests/variables';
import { inputCheck } from '../../../gateway/requests/input-check';

const schema = buildSchema(`
  scalar DateTime
  enum Colour { RED GREEN }
  input Choice @oneOf { a: Int b: Int }
  input Part { name: String! size: Int = 1 colour: Colour at: DateTime parts: [Part!] numbers: [[Int]!]! = [] count: Int! = 1 }
  type Query { part(part: Part, choice: Choice): Int }
`);
useRegisterScalars(schema);

function typeOf(text: string) {
  const type = typeFromAST(schema, parseType(text) as never);
  if (!isInputType(type)) throw new Error(`${text} is no input type`);
  return type;
}

function isAccepted(value: unknown, text: string): boolean {
  const errors: unknown[] = [];
  coerceInputValue(value, typeOf(text), (_, __, error) => errors.push(error));
  return errors.length === 0;
}

describe('The check of a variable', () => {
  it.each([
    ['Part', null],
    ['Part!', { name: 'a' }],
    ['Part!', { name: 'a', size: null, colour: 'RED', at: '2026-01-01T00:00:00Z', count: 2 }],
    ['Part!', { name: 'a', parts: [{ name: 'b', parts: [] }], numbers: [[1, null], []] }],
    ['[Part!]', [{ name: 'a' }, { name: 'b' }]],
    ['[Colour]', [null, 'GREEN']],
    ['Int!', 15],
  ])('accepts a valid %s: %j', (type, value) => {
    expect(isAccepted(value, type)).toBe(true);
    expect(inputCheck(typeOf(type))(value)).toBe(true);
  });

  it.each([
    ['Part!', null],
    ['Part', {}],
    ['Part', { name: null }],
    ['Part', { name: 1 }],
    ['Part', []],
    ['Part', 'a'],
    ['Part', { name: 'a', unknown: 1 }],
    ['Part', { name: 'a', constructor: 1 }],
    ['Part', { name: 'a', colour: 'BLUE' }],
    ['Part', { name: 'a', at: 'now' }],
    ['Part', { name: 'a', count: null }],
    ['Part', { name: 'a', numbers: [null] }],
    ['Part', { name: 'a', parts: [null] }],
    ['Part', { name: 'a', parts: [{ name: 'b', parts: [{ size: 1 }] }] }],
    ['[Part!]', [{ name: 'a' }, null]],
    ['Int', 1.5],
  ])('leaves an invalid %s to graphql-js, which reports it: %j', (type, value) => {
    expect(isAccepted(value, type)).toBe(false);
    expect(inputCheck(typeOf(type))(value)).toBe(false);
  });

  it.each([
    ['[Int]', 1],
    ['Choice', { a: 1 }],
  ])('leaves to graphql-js what is rare: %s %j', (type, value) => {
    expect(isAccepted(value, type)).toBe(true);
    expect(inputCheck(typeOf(type))(value)).toBe(false);
  });
});
