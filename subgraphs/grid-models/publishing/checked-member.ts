import {
  type CimFile,
  type DifferenceItem,
  type DifferenceModelHeader,
  type DifferenceSection,
  type Fault,
} from '../domain/difference-model';
import { MAX_FAULTS, type ModelSink } from '../domain/difference-model-reading';
import { differenceModelReader } from '../domain/read-difference-model';
import { type ArchiveMember, MemberFault } from './archive-member';
import type { ArchiveFault } from './publish';
import { type TemporaryFile, temporaryFile } from './temporary-file';

/** Items of a section, and statements of these items. */
export interface SectionCount {
  items: number;
  statements: number;
}

/** A member in which no fault was found: a difference model that may be published. */
export interface CheckedMember {
  readonly file: CimFile;
  readonly header: DifferenceModelHeader;
  /** Null for a section that the file does not have. */
  readonly counts: Readonly<Record<DifferenceSection, SectionCount | null>>;
  /** Its bytes; who has the member closes them. */
  readonly rdf: TemporaryFile;
}

/** Reads a member to its end, or as far as it makes sense; nothing of it stays in memory. */
export async function checkMember(member: ArchiveMember): Promise<CheckedMember | ArchiveFault[]> {
  const rdf = await temporaryFile();
  try {
    const { faults, header, counts } = await readInto(rdf, member);
    if (faults.length === 0 && header !== null) return { file: member.file, header, counts, rdf };
    await rdf.close();
    return faults.map(({ line, message }) => ({ file: `${member.file}.xml`, line, message }));
  } catch (error) {
    await rdf.close();
    throw error;
  }
}

async function readInto(rdf: TemporaryFile, member: ArchiveMember) {
  const faults: Fault[] = [];
  const found = countingSink(faults);
  const reader = differenceModelReader(found.sink, member.file);
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
  const sink: ModelSink = {
    header: (found) => void (header = found),
    section: (section) => void (counts[section] = { items: 0, statements: 0 }),
    item(section, item) {
      if (faults.length < MAX_FAULTS && isTooLong(item))
        faults.push({ line: null, message: `${TOO_LONG}: ${item.mRID.slice(0, 50)}` });
      const count = counts[section] as SectionCount;
      count.items += 1;
      count.statements += item.statements.length;
    },
    fault: (fault) => void faults.push(fault),
  };
  return { sink, counts, header: (): DifferenceModelHeader | null => header };
}

/** Bytes of an identifier or a name: as many as an index holds of two of them. */
const LONGEST_NAME = 1024;
const TOO_LONG = `an identifier or a name has more than ${LONGEST_NAME} bytes`;

function isTooLong({ mRID, type, statements }: DifferenceItem): boolean {
  return [mRID, type].some(isLong) || statements.some(({ name }) => isLong(name));
}

/** A character has four bytes at most. */
const isLong = (text: string): boolean => text.length > LONGEST_NAME / 4 && Buffer.byteLength(text) > LONGEST_NAME;
