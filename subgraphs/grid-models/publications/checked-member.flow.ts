import {
  type CimFile,
  type DifferenceItem,
  type DifferenceModelHeader,
  type DifferenceSection,
  type Fault,
} from '../rdf/difference-model';
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
    const { faults, header, counts } = await readInto(rdf, member, profiles);
    if (faults.length === 0 && header !== null) return { file: member.file, header, counts, rdf };
    await rdf.close();
    return faults.map(({ line, message }) => ({ file: `${member.file}.xml`, line, message }));
  } catch (error) {
    await rdf.close();
    throw error;
  }
}

async function readInto(rdf: TemporaryFile, member: ArchiveMember, profiles: MemberProfiles) {
  const faults: Fault[] = [];
  const found = countingSink(faults);
  const reader = differenceModelReader(found.sink, { file: member.file, profiles });
  try {
    for await (const bytes of member.bytes()) {
      if (!reader.write(bytes)) break;
      await rdf.write(bytes);
    }
    reader.end();
  } catch (error) {
    if (!(error instanceof MemberFault)) throw error;
    faults.push({ line: null, message: error.message });
  }
  return { faults, header: found.header(), counts: found.counts };
}

function countingSink(faults: Fault[]) {
  const counts: Record<DifferenceSection, SectionCount | null> = { forward: null, reverse: null };
  let header: DifferenceModelHeader | null = null;
  const checkLengths = (item: DifferenceItem) => {
    if (faults.length < MAX_FAULTS && isTooLong(item))
      faults.push({ line: null, message: `${TOO_LONG_MESSAGE}: ${item.mRID.slice(0, 50)}` });
  };
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
/** Reason why an item with a longer one is rejected. */
export const TOO_LONG_MESSAGE = `an identifier or a name has more than ${MAX_NAME_BYTES} bytes`;

/** Returns whether an identifier or a name of an item is too long to be indexed. */
export function isTooLong({ mRID, type, statements }: DifferenceItem): boolean {
  return [mRID, type].some(isLong) || statements.some(({ name }) => isLong(name));
}

/** Compares the length first: a character has at most four bytes in UTF-8. */
const isLong = (text: string): boolean => text.length > MAX_NAME_BYTES / 4 && Buffer.byteLength(text) > MAX_NAME_BYTES;
