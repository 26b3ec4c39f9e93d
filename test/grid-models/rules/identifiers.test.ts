import { createHash } from 'node:crypto';
import { identifierSet } from '../../../subgraphs/grid-models/rdf/identifier-set';

const uuid = (number: number) =>
  createHash('sha256')
    .update(String(number))
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

describe('A set of identifiers', () => {
  it('finds every UUID that it contains', () => {
    const set = identifierSet();
    const all = Array.from({ length: 20_000 }, (_, number) => uuid(number));
    expect(all.filter((each) => !set.add(each))).toEqual([]);
    expect(all.filter((each) => set.add(each.toUpperCase()))).toEqual([]);
  });

  it.each([
    '00000000-0000-0000-0000-000000000000',
    'not-a-uuid',
    '00850be4-abb2-4d90-9b4f-657c52e04f1',
    '00850be4abb2-4d90-9b4f-657c52e04f10-',
    '00850be4-abb2-4d90-9b4f-657c52e04f1g',
    'ééééééé4-abb2-4d90-9b4f-657c52e04f10',
  ])('contains %s once it was added, in the same case', (identifier) => {
    const set = identifierSet();
    expect([identifier, identifier, identifier.toUpperCase()].map((each) => set.add(each))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('distinguishes UUIDs that differ in one digit', () => {
    const set = identifierSet();
    const one = '00850be4-abb2-4d90-9b4f-657c52e04f10';
    const others = [...one].flatMap((digit, index) =>
      digit === '-' ? [] : [`${one.slice(0, index)}${digit === 'f' ? 'e' : 'f'}${one.slice(index + 1)}`],
    );
    expect([one, ...others].every((each) => set.add(each))).toBe(true);
  });
});
