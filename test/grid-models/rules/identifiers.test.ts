import { createHash } from 'node:crypto';
import { metIdentifiers } from '../../../subgraphs/grid-models/domain/met-identifiers';

const uuid = (number: number) =>
  createHash('sha256')
    .update(String(number))
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

describe('Identifiers that have been met', () => {
  it('are known again, however many there are', () => {
    const met = metIdentifiers();
    const all = Array.from({ length: 20_000 }, (_, number) => uuid(number));
    expect(all.filter((each) => !met.isFirst(each))).toEqual([]);
    expect(all.filter((each) => met.isFirst(each.toUpperCase()))).toEqual([]);
  });

  it.each([
    '00000000-0000-0000-0000-000000000000',
    'not-a-uuid',
    '00850be4-abb2-4d90-9b4f-657c52e04f1',
    '00850be4abb2-4d90-9b4f-657c52e04f10-',
    '00850be4-abb2-4d90-9b4f-657c52e04f1g',
    'ééééééé4-abb2-4d90-9b4f-657c52e04f10',
  ])('%s is known again too', (identifier) => {
    const met = metIdentifiers();
    expect([identifier, identifier, identifier.toUpperCase()].map((each) => met.isFirst(each))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('that differ in one digit are different', () => {
    const met = metIdentifiers();
    const one = '00850be4-abb2-4d90-9b4f-657c52e04f10';
    const others = [...one].flatMap((digit, index) =>
      digit === '-' ? [] : [`${one.slice(0, index)}${digit === 'f' ? 'e' : 'f'}${one.slice(index + 1)}`],
    );
    expect([one, ...others].every((each) => met.isFirst(each))).toBe(true);
  });
});
