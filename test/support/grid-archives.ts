import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import type { CimFile } from '../../subgraphs/grid-models/rdf/difference-model';

/** The profile of each member. */
export const PROFILES: Readonly<Record<CimFile, string>> = {
  EQ: 'http://iec.ch/TC57/ns/CIM/CoreEquipment-EU/3.0',
  SC: 'http://iec.ch/TC57/ns/CIM/ShortCircuit-EU/3.0',
  GL: 'http://iec.ch/TC57/ns/CIM/GeographicalLocation-EU/3.0',
};

/** Contents of a difference model of a test. Sections are RDF/XML; null omits a section. */
export interface TrialModel {
  readonly mRID?: string;
  readonly profile?: string;
  readonly description?: string;
  readonly dependentOn?: readonly string[];
  readonly forward?: string | null;
  readonly reverse?: string | null;
}

/** Returns the text of a difference model. */
export function differenceModelXml(file: CimFile, model: TrialModel = {}): string {
  const { mRID = randomUUID(), profile = PROFILES[file], description = 'a change', dependentOn = [] } = model;
  const { forward = '', reverse = '' } = model;
  const section = (name: string, items: string | null) =>
    items === null ? '' : `<dm:${name} rdf:parseType="Statements">${items}</dm:${name}>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:md="http://iec.ch/TC57/61970-552/ModelDescription/1#"
  xmlns:dm="http://iec.ch/TC57/61970-552/DifferenceModel/1#" xmlns:cim="http://iec.ch/TC57/CIM100#"
  xmlns:eu="http://iec.ch/TC57/CIM100-European#">
<dm:DifferenceModel rdf:about="urn:uuid:${mRID}">
<md:Model.created>2026-05-01T00:00:00Z</md:Model.created>
<md:Model.scenarioTime>2026-05-01T00:00:00Z</md:Model.scenarioTime>
<md:Model.description>${description}</md:Model.description>
<md:Model.modelingAuthoritySet>http://ukpowernetworks.example/EPN</md:Model.modelingAuthoritySet>
<md:Model.profile>${profile}</md:Model.profile>
<md:Model.version>001</md:Model.version>
${dependentOn.map((on) => `<md:Model.DependentOn rdf:resource="urn:uuid:${on}"/>`).join('\n')}
${section('reverseDifferences', reverse)}
${section('forwardDifferences', forward)}
</dm:DifferenceModel>
</rdf:RDF>
`;
}

/** Returns a whole object: a line segment. */
export function lineSegment(mRID: string, name: string, r = '0.1'): string {
  return `<cim:ACLineSegment rdf:ID="_${mRID}">
<cim:IdentifiedObject.name>${name}</cim:IdentifiedObject.name>
<cim:Conductor.length>1.25</cim:Conductor.length>
<cim:ACLineSegment.r>${r}</cim:ACLineSegment.r>
<cim:ACLineSegment.x>0.2</cim:ACLineSegment.x>
<cim:Equipment.EquipmentContainer rdf:resource="#_4f1c3b0e-0000-4000-8000-000000000000"/>
</cim:ACLineSegment>
`;
}

/** Returns a change of one attribute of an object, without its class. */
export function attributeChange(mRID: string, name: string, value: string): string {
  return `<rdf:Description rdf:about="#_${mRID}"><${name}>${value}</${name}></rdf:Description>\n`;
}

/** A member of a zip, with the options of its entry. */
export interface TrialEntry {
  readonly name: string;
  readonly bytes: Buffer | string;
  readonly compress?: boolean;
  readonly mode?: number;
}

/** The modification time of all entries, so that equal entries have equal bytes. */
const MADE_AT = new Date('2026-01-05T00:00:00Z');

/** Returns a zip of the entries, in this order. */
export async function zipOf(entries: readonly TrialEntry[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { name, bytes, compress = true, mode } of entries)
    zip.addBuffer(Buffer.from(bytes), name, { compress, mtime: MADE_AT, ...(mode === undefined ? {} : { mode }) });
  zip.end();
  return buffer(zip.outputStream);
}

/** Signatures of a directory entry, of the zip64 locator and of the end record of a zip (PKWARE APPNOTE.TXT 4.3). */
const [ENTRY, LOCATOR, END] = ['PK\u0001\u0002', 'PK\u0006\u0007', 'PK\u0005\u0006'];

/** Returns the zip with a locator that states the offset of a zip64 end record. */
export function withZip64Locator(zip: Buffer, offset: bigint): Buffer {
  const locator = Buffer.alloc(20);
  locator.write(LOCATOR, 'latin1');
  locator.writeBigUInt64LE(offset, 8);
  locator.writeUInt32LE(1, 16);
  const end = zip.lastIndexOf(END);
  return Buffer.concat([zip.subarray(0, end), locator, zip.subarray(end)]);
}

/** Returns the zip with an 8-byte offset of its first member, in the zip64 extra field of the directory entry. */
export function withZip64Offset(zip: Buffer, offset: bigint): Buffer {
  const extra = Buffer.alloc(12);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8, 2);
  extra.writeBigUInt64LE(offset, 4);
  const entry = zip.indexOf(ENTRY);
  const head = Buffer.from(zip.subarray(entry, entry + 46));
  head.writeUInt16LE(head.readUInt16LE(30) + extra.length, 30);
  head.writeUInt32LE(0xff_ff_ff_ff, 42);
  const afterName = entry + 46 + head.readUInt16LE(28);
  return Buffer.concat([
    zip.subarray(0, entry),
    head,
    zip.subarray(entry + 46, afterName),
    extra,
    zip.subarray(afterName),
  ]);
}

/**
 * Returns the names and contents of the members of a zip: two archives can differ in bytes that are neither, such as
 * dates.
 */
export async function membersOf(archive: Buffer): Promise<(readonly [name: string, content: string])[]> {
  const members: (readonly [string, string])[] = [];
  const zip = await fromBufferPromise(archive);
  for await (const entry of zip.eachEntry())
    members.push([entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString()]);
  return members;
}

/** Returns the archive of a project. Omitted members are models without items. */
export function gridArchive(members: Partial<Record<CimFile, string>> = {}): Promise<Buffer> {
  const { EQ = differenceModelXml('EQ'), SC = differenceModelXml('SC'), GL = differenceModelXml('GL') } = members;
  return zipOf([
    { name: 'EQ.xml', bytes: EQ },
    { name: 'SC.xml', bytes: SC },
    { name: 'GL.xml', bytes: GL },
  ]);
}

/** Returns an archive whose EQ.xml adds `objects` objects. */
export function largeArchive(objects: number): Promise<Buffer> {
  const items = Array.from({ length: objects }, (_, index) => lineSegment(randomUUID(), `Line ${index}`));
  return gridArchive({ EQ: differenceModelXml('EQ', { forward: items.join(''), reverse: null }) });
}

/** A temporary folder for the files of a test. */
export interface TrialFolder {
  readonly path: string;
  /** Writes a file. Returns its path. */
  write(name: string, bytes: Buffer | string): Promise<string>;
  remove(): Promise<void>;
}

/** Creates the folder. */
export async function trialFolder(): Promise<TrialFolder> {
  const path = await mkdtemp(join(tmpdir(), 'grid-archives-'));
  return {
    path,
    async write(name, bytes) {
      const file = join(path, name);
      await writeFile(file, bytes);
      return file;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
