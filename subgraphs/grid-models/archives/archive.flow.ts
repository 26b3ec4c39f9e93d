import type { FileHandle } from 'node:fs/promises';
import { type Entry, type ZipFile, fromRandomAccessReaderPromise } from 'yauzl';
import { CIM_FILES, type CimFile } from '../rdf/difference-model';
import {
  type ArchiveLimits,
  type ArchiveMember,
  DEFLATED,
  DIFFERENCE_LIMITS,
  STORED,
  archiveMember,
  isTooDense,
  tooLargeMessage,
} from './archive-member.flow';
import { type DirectoryPosition, isGapless } from './archive-layout.flow';
import { ArchiveReader } from './archive-reader.flow';
import { ENCRYPTED, UNICODE_PATH } from './member-header.flow';
import type { ArchiveFault } from '../publications/publication';

/** Directory entries that are read, including rejected ones. */
const MAX_DIRECTORY_ENTRIES = 300;

/** The members of an archive that can be read, and the faults of the others. */
interface Archive {
  readonly members: readonly ArchiveMember[];
  readonly faults: readonly ArchiveFault[];
}

/** Reads the directory of an archive and checks it against the bytes: sizes, offsets and local headers. */
export async function openArchive(handle: FileHandle, limits: ArchiveLimits = DIFFERENCE_LIMITS): Promise<Archive> {
  const { size } = await handle.stat();
  if (size > limits.archive) return unreadable(`the archive is larger than ${limits.archive / 1024 / 1024} MiB`);
  let zip: ZipFile;
  try {
    const reader = new ArchiveReader(handle, size);
    const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
    zip = await fromRandomAccessReaderPromise(reader, size, options);
  } catch {
    return unreadable('the archive is not a complete zip file');
  }
  const directory = await directoryOf(zip);
  const archive = await readMembers(zip, directory.entries, directory.faults, limits);
  if (archive.faults.length > 0 || (await isGapless(handle, archive.members, directory.position))) return archive;
  return unreadable('the archive has bytes that belong to no member');
}

/** Replaces characters that are not printable ASCII and cuts the name to 100. */
const printable = (name: string) => name.replace(/[^\x20-\x7e]/g, '?').slice(0, 100);

const unreadable = (message: string): Archive => ({ members: [], faults: [{ file: null, line: null, message }] });

/** An entry with its name, one character per byte. */
interface NamedEntry {
  readonly name: string;
  readonly entry: Entry;
}

interface ReadDirectory {
  readonly entries: NamedEntry[];
  readonly faults: ArchiveFault[];
  readonly position: DirectoryPosition;
}

/** Offset at which yauzl reads next. Its types declare it as a boolean. */
const cursorOf = ({ readEntryCursor }: ZipFile): number => Number(readEntryCursor);

async function directoryOf(zip: ZipFile): Promise<ReadDirectory> {
  const start = cursorOf(zip);
  const entries: NamedEntry[] = [];
  const faults: ArchiveFault[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileNameRaw.toString('latin1');
      if (isMember(name)) entries.push({ name, entry });
      else
        faults.push({
          file: printable(name),
          line: null,
          message: 'must not be in the archive: its members are EQ.xml, SC.xml and GL.xml',
        });
      if (entries.length + faults.length >= MAX_DIRECTORY_ENTRIES) break;
    }
  } catch (error) {
    faults.push({
      file: null,
      line: null,
      message: `the directory of the archive is corrupt: ${(error as Error).message}`,
    });
  }
  return { entries, faults, position: { start, end: cursorOf(zip), comment: zip.comment.length } };
}

const MEMBERS: ReadonlyMap<string, CimFile> = new Map(CIM_FILES.map((file) => [`${file}.xml`, file]));
const isMember = (name: string): boolean => MEMBERS.has(name);

/** Returns the members among the entries, and the faults of missing, repeated and invalid ones after those of the directory. */
async function readMembers(
  zip: ZipFile,
  entries: readonly NamedEntry[],
  earlier: ArchiveFault[],
  { member: maxSize }: ArchiveLimits,
): Promise<Archive> {
  const faults = [...earlier];
  const members: ArchiveMember[] = [];
  for (const [name, file] of MEMBERS) {
    const [first, ...others] = entries.filter((each) => each.name === name);
    const fault = (message: string) => faults.push({ file: name, line: null, message });
    if (first === undefined) fault('is missing from the archive');
    if (others.length > 0) fault('is in the archive more than once');
    if (first === undefined || others.length > 0) continue;
    const reasons = entryFaults(first.entry, maxSize);
    const located = reasons.length > 0 ? reasons : await archiveMember(zip, file, first.entry, maxSize);
    if (Array.isArray(located)) located.forEach(fault);
    else members.push(located);
  }
  if (overlap(members)) return unreadable('members of the archive overlap');
  return { members, faults };
}

/** File type in the Unix mode of an entry (`st_mode`). */
const FILE_TYPE = 0o170_000;
const REGULAR_FILE = 0o100_000;

/** Faults that the directory alone shows. */
function entryFaults(entry: Entry, maxSize: number): string[] {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
  const { compressionMethod: method, uncompressedSize, compressedSize } = entry;
  return [
    ...(entry.generalPurposeBitFlag & ENCRYPTED ? ['is encrypted'] : []),
    ...(method === STORED || method === DEFLATED ? [] : [`is compressed by method ${method}, not by deflate`]),
    ...(type === 0 || type === REGULAR_FILE ? [] : ['is not a regular file']),
    ...(entry.extraFields.some(({ id }) => id === UNICODE_PATH) ? ['has a second, Unicode name'] : []),
    ...(uncompressedSize > maxSize ? [tooLargeMessage(maxSize)] : []),
    ...(isTooDense(uncompressedSize, compressedSize) ? [TOO_DENSE_MESSAGE] : []),
  ];
}

const TOO_DENSE_MESSAGE = 'is compressed beyond 200:1';

/** Returns whether two members share bytes, as in a zip bomb of overlapping members. */
function overlap(members: readonly ArchiveMember[]): boolean {
  const inOrder = members.toSorted((one, other) => one.start - other.start);
  return inOrder.some(({ start }, index) => index > 0 && start < (inOrder[index - 1] as ArchiveMember).end);
}
