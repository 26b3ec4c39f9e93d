import type { FileHandle } from 'node:fs/promises';
import { type Entry, type ZipFile, fromFdPromise } from 'yauzl';
import { CIM_FILES, type CimFile } from '../domain/difference-model';
import { type ArchiveMember, DEFLATED, LONGEST_MEMBER, STORED, archiveMember, tooDense } from './archive-member';
import { type DirectoryPlace, isSeamless } from './archive-layout';
import { ENCRYPTED, UNICODE_PATH } from './member-header';
import type { ArchiveFault } from './publish';

/** Bytes of the longest archive that is taken. */
export const LONGEST_ARCHIVE = 192 * 1024 * 1024;

/** Faults that are told of one archive. */
export const MOST_FAULTS = 300;

/** An archive whose directory was read: the members that can be read, and what speaks against the others. */
export interface Archive {
  readonly members: readonly ArchiveMember[];
  readonly faults: readonly ArchiveFault[];
}

/** Reads the directory of an archive. Of what it says nothing is believed that can be counted. */
export async function openArchive(handle: FileHandle): Promise<Archive> {
  const { size } = await handle.stat();
  if (size > LONGEST_ARCHIVE) return unreadable(`the archive has more than ${LONGEST_ARCHIVE / 1024 / 1024} MiB`);
  let zip: ZipFile;
  try {
    zip = await fromFdPromise(handle.fd, { autoClose: false, decodeStrings: false, validateEntrySizes: false });
  } catch {
    return unreadable('the archive is no zip file, or not a whole one');
  }
  const directory = await directoryOf(zip);
  const archive = await judged(zip, directory.entries, directory.faults);
  if (archive.faults.length > 0 || (await isSeamless(handle, archive.members, directory.place))) return archive;
  return unreadable('bytes of the archive belong to no member');
}

/** A name such as would be displayed: without control characters, not endless. */
const shown = (name: string) => name.replace(/[^\x20-\x7e]/g, '?').slice(0, 100);

const unreadable = (message: string): Archive => ({ members: [], faults: [{ file: null, line: null, message }] });

/** An entry with its name byte for byte. */
interface NamedEntry {
  readonly name: string;
  readonly entry: Entry;
}

interface ReadDirectory {
  readonly entries: NamedEntry[];
  readonly faults: ArchiveFault[];
  readonly place: DirectoryPlace;
}

/** Where the directory is read next, which the types of yauzl take for a truth value. */
const cursorOf = ({ readEntryCursor }: ZipFile): number => Number(readEntryCursor);

async function directoryOf(zip: ZipFile): Promise<ReadDirectory> {
  const start = cursorOf(zip);
  const entries: NamedEntry[] = [];
  const faults: ArchiveFault[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileNameRaw.toString('latin1');
      if (isMember(name)) entries.push({ name, entry });
      else faults.push({ file: shown(name), line: null, message: 'is not a member of such an archive' });
      if (entries.length + faults.length >= MOST_FAULTS) break;
    }
  } catch (error) {
    faults.push({
      file: null,
      line: null,
      message: `the directory of the archive is broken: ${(error as Error).message}`,
    });
  }
  return { entries, faults, place: { start, end: cursorOf(zip), comment: zip.comment.length } };
}

const MEMBERS: ReadonlyMap<string, CimFile> = new Map(CIM_FILES.map((file) => [`${file}.xml`, file]));
const isMember = (name: string): boolean => MEMBERS.has(name);

/** Takes the entries that can be members, and says why the others cannot. */
async function judged(zip: ZipFile, entries: readonly NamedEntry[], broken: ArchiveFault[]): Promise<Archive> {
  const faults = [...broken];
  const members: ArchiveMember[] = [];
  for (const [name, file] of MEMBERS) {
    const [first, ...others] = entries.filter((each) => each.name === name);
    const fault = (message: string) => faults.push({ file: name, line: null, message });
    if (first === undefined) fault('is missing from the archive');
    if (others.length > 0) fault('is in the archive more than once');
    if (first === undefined || others.length > 0) continue;
    const reasons = entryFaults(first.entry);
    const located = reasons.length > 0 ? reasons : await archiveMember(zip, file, first.entry);
    if (Array.isArray(located)) located.forEach(fault);
    else members.push(located);
  }
  if (overlap(members)) return unreadable('members of the archive overlap');
  return { members, faults };
}

const FILE_TYPE = 0o170_000;
const PLAIN_FILE = 0o100_000;

/** What the directory itself says against an entry. */
function entryFaults(entry: Entry): string[] {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
  const { compressionMethod: method, uncompressedSize, compressedSize } = entry;
  return [
    ...(entry.generalPurposeBitFlag & ENCRYPTED ? ['is encrypted'] : []),
    ...(method === STORED || method === DEFLATED ? [] : [`is compressed by method ${method}, not by deflate`]),
    ...(type === 0 || type === PLAIN_FILE ? [] : ['is not a plain file']),
    ...(entry.extraFields.some(({ id }) => id === UNICODE_PATH) ? ['has a second name'] : []),
    ...(uncompressedSize > LONGEST_MEMBER ? [`has more than ${LONGEST_MEMBER / 1024 / 1024} MiB`] : []),
    ...(tooDense(uncompressedSize, compressedSize) ? [TOO_DENSE] : []),
  ];
}

const TOO_DENSE = 'is compressed beyond 200:1';

/** Whether bytes of the archive belong to two members: so are archives made that grow without end. */
function overlap(members: readonly ArchiveMember[]): boolean {
  const inOrder = members.toSorted((one, other) => one.start - other.start);
  return inOrder.some(({ start }, index) => index > 0 && start < (inOrder[index - 1] as ArchiveMember).end);
}
