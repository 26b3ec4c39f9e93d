import {
  type CimFile,
  type DifferenceItem,
  type DifferenceModelHeader,
  type DifferenceSection,
  type Fault,
} from '../rdf/difference-model';
import type { ModelReader } from '../rdf/model-reader';
import { MAX_FAULTS, type ModelSink } from '../rdf/model-sink';
import type { MemberProfiles } from '../rdf/member-profiles';
import { differenceModelReader } from '../rdf/read-difference-model';
import { type ArchiveMember, MemberFault } from '../archives/archive-member.flow';
import { type TemporaryFile, temporaryFile } from '../archives/temporary-file';
import type { ArchiveFault } from './publication';

/** Number of items in a section, and of their statements. */
interface SectionCount {
  items: number;
  statements: number;
}

/** A member without faults: a difference model that may be published. */
export interface CheckedMember {
  readonly file: CimFile;
  readonly header: DifferenceModelHeader;
  /** Null for a section that is absent from the file. */
  readonly counts: Readonly<Record<DifferenceSection, SectionCount | null>>;
  /** Its bytes, which the caller closes. */
  readonly rdf: TemporaryFile;
}

/** Parses a member as a stream and copies its bytes to a temporary file. Returns the member, or its faults. */
export async function checkMember(
  member: ArchiveMember,
  profiles: MemberProfiles,
): Promise<CheckedMember | ArchiveFault[]> {
  const rdf = await temporaryFile();
  try {
    const found: Fault[] = [];
    const { sink, counts, header: foundHeader } = countingSink(found);
    const reader = differenceModelReader(sink, { file: member.file, profiles });
    const faults = await readMember(member, reader, found, (bytes) => rdf.write(bytes));
    const header = foundHeader();
    if (faults.length === 0 && header !== null) return { file: member.file, header, counts, rdf };
    await rdf.close();
    return faults;
  } catch (error) {
    await rdf.close();
    throw error;
  }
}

/**
 * Parses a member as a stream, and passes the parsed bytes to `take`. Returns its faults: those that the sink of the reader adds to `found`,
 * and the reason why its bytes cannot be read.
 */
export async function readMember(
  { file, bytes }: ArchiveMember,
  reader: Pick<ModelReader, 'write' | 'end'>,
  found: Fault[],
  take: (bytes: Buffer) => unknown,
): Promise<ArchiveFault[]> {
  try {
    for await (const chunk of bytes()) {
      if (!reader.write(chunk)) break;
      await take(chunk);
    }
    reader.end();
  } catch (error) {
    if (!(error instanceof MemberFault)) throw error;
    found.push({ line: null, message: error.message });
  }
  return found.map(({ line, message }) => ({ file: `${file}.xml`, line, message }));
}

function countingSink(faults: Fault[]) {
  const counts: Record<DifferenceSection, SectionCount | null> = { forward: null, reverse: null };
  let header: DifferenceModelHeader | null = null;
  const checkLengths = lengthCheck(faults);
  const sink: ModelSink = {
    header: (found) => void (header = found),
    section: (section) => void (counts[section] = { items: 0, statements: 0 }),
    item(section, item) {
      checkLengths(item);
      const count = counts[section] as SectionCount;
      count.items += 1;
      count.statements += item.statements.length;
    },
    precondition: checkLengths,
    fault: (fault) => void faults.push(fault),
  };
  return { sink, counts, header: (): DifferenceModelHeader | null => header };
}

/** Bytes of an identifier or a name. Two of them fit into one entry of a PostgreSQL index (at most about 2,700 bytes). */
const MAX_NAME_BYTES = 1024;
const TOO_LONG = `an identifier or a name has more than ${MAX_NAME_BYTES} bytes`;

/** Returns a function that adds a fault for an item with an identifier or a name that is too long to be indexed. */
export function lengthCheck(faults: Fault[]): (item: DifferenceItem) => void {
  return ({ mRID, type, statements }) => {
    const isTooLong = [mRID, type].some(isLong) || statements.some(({ name }) => isLong(name));
    if (isTooLong && faults.length < MAX_FAULTS)
      faults.push({ line: null, message: `${TOO_LONG}: ${mRID.slice(0, 50)}` });
  };
}

/** Compares the length first: a character has at most four bytes in UTF-8. */
const isLong = (text: string): boolean => text.length > MAX_NAME_BYTES / 4 && Buffer.byteLength(text) > MAX_NAME_BYTES;
