import { proposedClass } from '../../../subgraphs/grid-models/changes/proposed-class';

describe('The class that attributes suggest', () => {
  it.each([
    ['the class of the attribute', ['cim:ACLineSegment.r'], 'cim:ACLineSegment'],
    [
      'the most special of classes that extend each other',
      ['cim:Equipment.aggregate', 'cim:Conductor.length', 'cim:ACLineSegment.r'],
      'cim:ACLineSegment',
    ],
    [
      'a class above, if no attribute is more special',
      ['cim:Equipment.aggregate', 'cim:IdentifiedObject.name'],
      'cim:Equipment',
    ],
    ['a class of an extension', ['gb:Feeder.rating', 'cim:IdentifiedObject.name'], 'gb:Feeder'],
    ['none of every object', ['cim:IdentifiedObject.name'], null],
    ['none of classes that exclude each other', ['cim:ACLineSegment.r', 'cim:Switch.open'], null],
    ['none without attributes', [], null],
    ['none of a name without a class', ['cim:r'], null],
  ])('is %s', (_, names, expected) => {
    expect(proposedClass(names.map((name) => ({ name })))).toBe(expected);
  });

  it('is found in one pass: an object may have a hundred thousand names', () => {
    const names = Array.from({ length: 100_000 }, (_, n) => ({ name: `gb:Class${n}.rating` }));
    expect(proposedClass(names)).toBeNull();
    expect(proposedClass([...names.slice(0, 1), ...names.slice(0, 1)])).toBe('gb:Class0');
  });
});
