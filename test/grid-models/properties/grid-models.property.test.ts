import fc from 'fast-check';
import { readDifferenceModel } from '../../support/read-difference-model';
import type { DifferenceItem, DifferenceModelHeader, Fault } from '../../../subgraphs/grid-models/rdf/difference-model';
import { fullModelReader } from '../../../subgraphs/grid-models/rdf/read-full-model';
import { writeDifferenceModel, writeFullModel } from '../../../subgraphs/grid-models/rdf/write-difference-model';
import { generatedGridModel } from '../../support/generated-grid-model';
import { modelWith } from '../../support/grid-model-files';
import { REAL_FILES } from '../../support/real-grid-models';
import { oracleModel } from '../../support/properties/grid-model-oracle';
import { changedFiles, writableModels } from '../../support/properties/grid-model-values';
import { holdsForAll } from '../../support/properties/property-run';
import { MalformedXml } from '../../support/properties/strict-xml';

const RUNS = 1_000;
/** Runs with files of a hundred kilobytes, which the oracle parses slowly. */
const FEW_RUNS = 150;

/** A small file with every form of item and statement, a nested declaration, and text in pieces. */
const DENSE = modelWith(`<cim:X rdf:ID="_00850be4-abb2-4d90-9b4f-657c52e04f10"><cim:X.a>1 &lt; 2</cim:X.a>
  <cim:X.b rdf:resource="#_c"/><o:X.c xmlns:o="http://one#"><![CDATA[x]]>é</o:X.c></cim:X>
  <rdf:Description rdf:about="#_d"><cim:X.e rdf:resource='http://iec.ch/TC57/CIM100#PhaseCode.ABC'/><!-- 👩 --></rdf:Description>
  <eu:Y rdf:about="urn:uuid:_f"/>`);

const small = [DENSE, modelWith(''), ...texts((bytes) => bytes.length < 30_000)].map((text) => Buffer.from(text));
const large = texts((bytes) => bytes.length >= 30_000);

function texts(isTaken: (bytes: Buffer) => boolean): Buffer[] {
  const generated = [generatedGridModel(8_000), generatedGridModel(60_000)];
  return [...generated, ...REAL_FILES.values()].filter(isTaken);
}

describe('Any difference model', () => {
  it('is the same after it is written and read again', async () => {
    await holdsForAll(writableModels, 300, (model) => {
      const { header, forward, reverse, faults } = readDifferenceModel(written(model));
      expect({ header, forward, reverse, faults }).toEqual({
        header: model.header,
        forward: model.forward,
        reverse: model.reverse,
        faults: [],
      });
    });
  });

  it('is written the same after that', async () => {
    await holdsForAll(writableModels, 300, (model) => {
      const read = readDifferenceModel(written(model));
      const again = readDifferenceModel(written(read));
      expect(again).toEqual(read);
    });
  });
});

describe('Any full model', () => {
  it('is the same after it is written and read again', async () => {
    await holdsForAll(writableFullModels, 300, (model) => {
      const { header, items } = model;
      expect(readFullModel(inBytes(writeFullModel(model)))).toEqual({ header, items, faults: [] });
    });
  });
});

const writableFullModels = writableModels.map(({ header, namespaces, forward }) => ({
  header: header as DifferenceModelHeader,
  namespaces,
  items: [...(forward ?? [])],
}));

function readFullModel(bytes: Buffer) {
  const items: DifferenceItem[] = [];
  const faults: Fault[] = [];
  let reported: DifferenceModelHeader | null = null;
  const reader = fullModelReader({
    item: (item) => void items.push(item),
    header: (header) => void (reported = header),
    fault: (fault) => void faults.push(fault),
  });
  reader.write(bytes);
  reader.end();
  return { header: reported, items, faults };
}

describe('A changed or truncated file', () => {
  it('is rejected with a fault, or parsed as the oracle parses it', async () => {
    await holdsForAll(inPieces(small), RUNS, agrees);
  });

  it('of many items as well', async () => {
    await holdsForAll(inPieces(large), FEW_RUNS, agrees);
  });
});

function written(model: Parameters<typeof writeDifferenceModel>[0]): Buffer {
  return inBytes(writeDifferenceModel(model));
}

function inBytes(pieces: Iterable<string>): Buffer {
  return Buffer.from([...pieces].join(''));
}

/** Changed files, and the length of the chunks in which they are parsed. */
function inPieces(files: readonly Buffer[]): fc.Arbitrary<{ bytes: Buffer; length: number }> {
  return fc.record({ bytes: changedFiles(files), length: fc.constantFrom(1, 3, 64, 1_000, 65_536) });
}

function agrees({ bytes, length }: { bytes: Buffer; length: number }): void {
  const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
  const { header, forward, reverse, faults } = readDifferenceModel(pieces);
  const other = slowly(bytes);
  for (const { line, message } of faults) {
    expect(message).toMatch(/\S/);
    if (line !== null) expect(line).toBeGreaterThan(0);
  }
  if (other === 'malformed') expect(faults).not.toEqual([]);
  else if (faults.length === 0)
    expect({ header, forward, reverse }).toEqual({ ...other, header: { ...EMPTY_LISTS, ...other.header } });
  else expect(faults.filter(({ message }) => message.startsWith('not well formed'))).toEqual([]);
}

const EMPTY_LISTS = { dependentOn: [], supersedes: [] };

function slowly(bytes: Buffer): ReturnType<typeof oracleModel> | 'malformed' {
  try {
    return oracleModel(bytes);
  } catch (error) {
    if (error instanceof MalformedXml) return 'malformed';
    throw error;
  }
}
