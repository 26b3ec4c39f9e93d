import { itemJson } from '../../../subgraphs/grid-models/rdf/difference-model-json';
import type { DifferenceItem } from '../../../subgraphs/grid-models/rdf/difference-model';
import { readDifferenceModel } from '../../support/read-difference-model';
import { writeDifferenceModel } from '../../../subgraphs/grid-models/rdf/write-difference-model';
import { REAL_FILES, describeWithRealFiles } from '../../support/real-grid-models';

/** Forward and reverse items (statements), from the README of the files. */
const COUNTS: Readonly<Record<string, string>> = {
  'MicroGrid-NL-MAS-EQ_diff.xml': '179 (612) / 127 (346)',
  'MicroGrid-NL-MAS-GL_diff.xml': '25 (99) / 25 (99)',
  'FullGrid_SC_diff.xml': '2 (2) / 2 (2)',
  'MicroGrid-BD-MAS-diff.xml': '2 (20) / 0 (0)',
  'cimgraph_test_incremental.xml': '3 (3) / 3 (3)',
};

const bytesOf = (name: string) => REAL_FILES.get(name) as Buffer;
const counted = (items: readonly DifferenceItem[] = []) =>
  `${items.length} (${items.reduce((count, { statements }) => count + statements.length, 0)})`;

describeWithRealFiles('Real files (skipped where they are not on the machine)', () => {
  it.each(Object.entries(COUNTS))('%s has %s items and statements', (name, counts) => {
    const { forward, reverse, faults } = readDifferenceModel(bytesOf(name));
    expect(`${counted(forward)} / ${counted(reverse)}`).toBe(counts);
    expect(faults.map(({ message }) => message)).toEqual(name.startsWith('cimgraph') ? ['the header is missing'] : []);
  });

  it.each(Object.keys(COUNTS))('%s is the same after it is written and read again', (name) => {
    const model = readDifferenceModel(bytesOf(name));
    const again = readDifferenceModel([...writeDifferenceModel(model)].map((piece) => Buffer.from(piece)));
    expect({ ...again, faults: [], namespaces: new Map([...again.namespaces].toSorted()) }).toEqual({
      ...model,
      faults: [],
      namespaces: new Map([...model.namespaces].toSorted()),
    });
  });

  it.each(Object.keys(COUNTS))('%s is the same in pieces of 7 bytes', (name) => {
    const bytes = bytesOf(name);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
      bytes.subarray(index * 7, index * 7 + 7),
    );
    expect(readDifferenceModel(pieces)).toEqual(readDifferenceModel(bytes));
  });

  it.each([...REAL_FILES.keys()].filter((name) => name.startsWith('Telemark')))(
    '%s is a full model, which is rejected',
    (name) => {
      expect(readDifferenceModel(bytesOf(name)).faults).toMatchObject([
        { message: 'the file contains a full model, not a difference model' },
      ]);
    },
  );

  it('have a JSON view with attributes, associations and names', () => {
    const { forward } = readDifferenceModel(bytesOf('MicroGrid-BD-MAS-diff.xml'));
    expect(forward?.map(itemJson)[0]).toEqual({
      mRID: '1c4a9e9c-ef00-42c9-9845-f64f9ca1e57a',
      type: 'cim:ConnectivityNode',
      name: 'Border_HVDC-AC',
      description: 'HVDC-AC; 220 kV; OHL',
      attributes: {
        'eu:IdentifiedObject.shortName': 'HVDC-AC-1',
        'eu:IdentifiedObject.energyIdentCodeEic': '10T-DC-NL-00082X',
        'cim:IdentifiedObject.mRID': '1c4a9e9c-ef00-42c9-9845-f64f9ca1e57a',
      },
      associations: { 'cim:ConnectivityNode.ConnectivityNodeContainer': '2e08aa26-2719-4b3e-a0eb-a9bd0ddbcae2' },
    });
  });
});
