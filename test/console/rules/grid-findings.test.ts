import { fateOf, findingGroups } from '../../../web/console/grid/findings';
import type { Finding } from '../../../web/console/grid/operation-results';

const OWN = 'aaaaaaaa-0000-4000-8000-000000000000';
const OTHER = 'bbbbbbbb-0000-4000-8000-000000000000';
const finding = (kind: Finding['kind'], name: string, value: string, mRID = OWN): Finding => ({
  ...{ kind, file: 'EQ_XML', mRID, name, value, instead: [] },
});

describe('The findings of an object', () => {
  it('are grouped by kind, in the order of the pages', () => {
    const groups = findingGroups({
      mRID: OWN.toUpperCase(),
      existed: true,
      findings: [
        finding('ADDED_TWICE', 'rdf:type', 'cim:Breaker'),
        finding('MISSING_STATEMENT', 'cim:Breaker.a', '1'),
        finding('DANGLING_ASSOCIATION', 'cim:Breaker.to', OWN, OTHER),
        finding('MISSING_STATEMENT', 'cim:Breaker.b', '2'),
      ],
    });
    const shown = groups.map(({ title, entries }) => [title, entries.map(({ value, from }) => [value, from])]);
    expect(shown).toEqual([
      [
        'Deletes what is not there',
        [
          ['1', undefined],
          ['2', undefined],
        ],
      ],
      ['Refers to nothing', [[OWN, OTHER]]],
      ['Adds what exists', [['Breaker', undefined]]],
    ]);
  });

  it('are one entry if the base model lacks the object as a whole', () => {
    const [group] = findingGroups({
      mRID: OWN,
      existed: false,
      findings: [
        finding('MISSING_STATEMENT', 'cim:A.r', '1'),
        finding('MISSING_STATEMENT', 'rdf:type', 'cim:A'),
        finding('MISSING_STATEMENT', 'cim:A.x', '2'),
      ],
    });
    expect(group?.entries).toMatchObject([{ name: undefined, value: 'A', others: 2 }]);
  });

  it('are all listed if the base model has the object as one of another class', () => {
    const findings = [
      { ...finding('MISSING_STATEMENT', 'rdf:type', 'cim:Breaker'), instead: ['cim:Switch'] },
      { ...finding('MISSING_STATEMENT', 'cim:Switch.normalOpen', 'true'), instead: ['false'] },
    ];
    const [group] = findingGroups({ mRID: OWN, existed: true, findings });
    expect(group?.entries).toMatchObject([
      { name: { className: 'type' }, value: 'Breaker', instead: ['Switch'], others: 0 },
      { name: { property: 'normalOpen' }, value: 'true', instead: ['false'], others: 0 },
    ]);
  });
});

describe('The effect of a project on an object', () => {
  it.each([
    ['exists before and after it and is part of it', true, true, true, 'in the base model, and changed by the project'],
    ['exists before and after it and is not part of it', true, true, false, 'not changed by the project'],
    ['exists only after it', false, true, true, 'added by the project'],
    ['exists only before it', true, false, true, 'removed by the project'],
    ['exists neither before nor after it', false, false, true, 'neither in the base model nor added by the project'],
  ])('is stated in words when the object %s', (_, existed, exists, isTouched, expected) => {
    expect(fateOf({ existed, exists }, isTouched)).toBe(expected);
  });
});
