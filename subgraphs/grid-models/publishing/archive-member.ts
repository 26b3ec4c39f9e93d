import { type Readable, pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { Entry, LocalFileHeader, ZipFile } from 'yauzl';
import type { CimFile } from '../domain/difference-model';
import { descriptorsOf, headerFaults } from './member-header';

/** Bytes of the longest member, decompressed (C.1). */
export const LONGEST_MEMBER = 64 * 1024 * 1024;

/** How many bytes one byte of the archive may become (C.1). */
const DENSEST = 200;

/** The compression methods of zip that are taken. */
export const [STORED, DEFLATED] = [0, 8];

/** A member of an archive, where it stands. */
export interface ArchiveMember {
  readonly file: CimFile;
  /** First byte of its header in the archive, and the first byte after its data. */
  readonly start: number;
  readonly end: number;
  /** What may stand between its data and what comes next: one of these. */
  readonly followedBy: readonly Buffer[];
  /** Its bytes, decompressed and counted; throws {@link MemberFault} when they are not what may be in an archive. */
  bytes(): AsyncGenerator<Buffer>;
}

/** Why a member cannot be read. */
export class MemberFault extends Error {
  override readonly name = 'MemberFault';
}

/** Whether so few compressed bytes stand for too many. */
export const tooDense = (size: number, compressedSize: number): boolean => size > DENSEST * compressedSize;

/** A member at the place that the directory names, or the reasons why it is not there. */
export async function archiveMember(zip: ZipFile, file: CimFile, entry: Entry): Promise<ArchiveMember | string[]> {
  let header: LocalFileHeader;
  try {
    header = await zip.readLocalFileHeaderPromise(entry);
  } catch (error) {
    return [`is not where the directory of the archive says: ${(error as Error).message}`];
  }
  const faults = headerFaults(header, entry);
  if (faults.length > 0) return faults;
  return {
    file,
    start: entry.relativeOffsetOfLocalHeader,
    end: header.fileDataStart + entry.compressedSize,
    followedBy: descriptorsOf(header, entry),
    bytes: () => counted(zip, entry),
  };
}

/** The decompressed bytes, as far as they are those that the directory tells of. */
async function* counted(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  let size = 0;
  let checksum = 0;
  try {
    for await (const chunk of decompressed(entry, await zip.openReadStreamPromise(entry, { decodeFileData: false }))) {
      const bytes = chunk as Buffer;
      size += bytes.length;
      checksum = crc32(bytes, checksum);
      if (size > LONGEST_MEMBER) throw new MemberFault(`has more than ${LONGEST_MEMBER / 1024 / 1024} MiB`);
      if (tooDense(size, entry.compressedSize)) throw new MemberFault('is compressed beyond 200:1');
      yield bytes;
    }
  } catch (error) {
    if (error instanceof MemberFault || !isCorruption(error)) throw error;
    throw new MemberFault(`cannot be decompressed: ${(error as Error).message}`);
  }
  if (size !== entry.uncompressedSize || checksum !== entry.crc32)
    throw new MemberFault('is damaged: size or checksum are not those that the archive states');
}

/** A failure of zlib, which is what the bytes are to blame for. */
const isCorruption = (error: unknown) => String((error as { code?: unknown }).code).startsWith('Z_');

const IGNORED = (): void => undefined;

function decompressed(entry: Entry, raw: Readable): Readable {
  // What goes wrong is told by the stream that is read.
  return entry.compressionMethod === DEFLATED ? pipeline(raw, createInflateRaw({ chunkSize: 65_536 }), IGNORED) : raw;
}
