import { type Readable, pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { Entry, LocalFileHeader, ZipFile } from 'yauzl';
import type { CimFile } from '../rdf/difference-model';
import { descriptorsOf, headerFaults } from './member-header.flow';

/** Largest archive and largest decompressed member, in bytes. */
export interface ArchiveLimits {
  readonly archive: number;
  readonly member: number;
}

const MIB = 1024 * 1024;

/** Limits of an archive of difference models (decisions C.1). */
export const DIFFERENCE_LIMITS: ArchiveLimits = { archive: 192 * MIB, member: 64 * MIB };

/** Limits of an archive of full models: eight times those of difference models. */
export const BASE_LIMITS: ArchiveLimits = {
  archive: 8 * DIFFERENCE_LIMITS.archive,
  member: 8 * DIFFERENCE_LIMITS.member,
};

/** Returns the reason why a member of more than `bytes` is rejected. */
export const tooLargeMessage = (bytes: number): string => `has more than ${bytes / MIB} MiB`;

/** Decompressed bytes per compressed byte (decisions C.1). */
const MAX_COMPRESSION_RATIO = 200;

/** Accepted compression methods (APPNOTE.TXT 4.4.5). */
export const [STORED, DEFLATED] = [0, 8];

/** A member of an archive and its position. */
export interface ArchiveMember {
  readonly file: CimFile;
  /** Offset of its local header, and of the first byte after its data. */
  readonly start: number;
  readonly end: number;
  /** Byte sequences of which one must follow its data: data descriptors, or the empty sequence. */
  readonly followedBy: readonly Buffer[];
  /** Yields the decompressed bytes; throws {@link MemberFault} if they exceed a limit, are corrupt, or differ from the directory. */
  bytes(): AsyncGenerator<Buffer>;
}

/** Thrown when a member cannot be read. The message continues the name of the member. */
export class MemberFault extends Error {
  override readonly name = 'MemberFault';
}

/** Returns whether the compression ratio is above the limit, as in a zip bomb. */
export const isTooDense = (size: number, compressedSize: number): boolean =>
  size > MAX_COMPRESSION_RATIO * compressedSize;

/** Returns the member of a directory entry, or what is wrong with its local header. */
export async function archiveMember(
  zip: ZipFile,
  file: CimFile,
  entry: Entry,
  maxSize: number,
): Promise<ArchiveMember | string[]> {
  let header: LocalFileHeader;
  try {
    header = await zip.readLocalFileHeaderPromise(entry);
  } catch (error) {
    return [`has no readable header at the offset in the directory of the archive: ${(error as Error).message}`];
  }
  const faults = headerFaults(header, entry);
  if (faults.length > 0) return faults;
  return {
    file,
    start: entry.relativeOffsetOfLocalHeader,
    end: header.fileDataStart + entry.compressedSize,
    followedBy: descriptorsOf(header, entry),
    bytes: () => checkedBytes(zip, entry, maxSize),
  };
}

/** Yields the decompressed bytes and compares their number and checksum with the directory. */
async function* checkedBytes(zip: ZipFile, entry: Entry, maxSize: number): AsyncGenerator<Buffer> {
  let size = 0;
  let checksum = 0;
  try {
    for await (const chunk of decompressed(entry, await zip.openReadStreamPromise(entry, { decodeFileData: false }))) {
      const bytes = chunk as Buffer;
      size += bytes.length;
      checksum = crc32(bytes, checksum);
      if (size > maxSize) throw new MemberFault(tooLargeMessage(maxSize));
      if (isTooDense(size, entry.compressedSize)) throw new MemberFault('is compressed beyond 200:1');
      yield bytes;
    }
  } catch (error) {
    if (error instanceof MemberFault || !isCorruption(error)) throw error;
    throw new MemberFault(`cannot be decompressed: ${(error as Error).message}`);
  }
  if (size !== entry.uncompressedSize || checksum !== entry.crc32)
    throw new MemberFault('is damaged: its size or checksum differs from the directory of the archive');
}

/** Returns whether an error is of zlib, so that the bytes are corrupt. */
const isCorruption = (error: unknown) => String((error as { code?: unknown }).code).startsWith('Z_');

const ignore = (): void => undefined;

function decompressed(entry: Entry, raw: Readable): Readable {
  // The reader of the returned stream receives the error, so the callback ignores it.
  return entry.compressionMethod === DEFLATED ? pipeline(raw, createInflateRaw({ chunkSize: 65_536 }), ignore) : raw;
}
