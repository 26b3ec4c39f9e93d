import type { FileHandle } from 'node:fs/promises';
import type { ArchiveMember } from './archive-member.flow';
import { IN_ZIP64_RECORD } from './member-header.flow';
import { bytesAt } from './temporary-file';

/** Offsets of the central directory in an archive, and the length in bytes of the comment at the end. */
export interface DirectoryPosition {
  readonly start: number;
  readonly end: number;
  readonly comment: number;
}

/**
 * Returns whether an archive consists of its members, the central directory and the end records, without bytes in between that zip readers
 * could interpret differently.
 */
export async function isGapless(
  handle: FileHandle,
  members: readonly ArchiveMember[],
  directory: DirectoryPosition,
): Promise<boolean> {
  const inOrder = members.toSorted((one, other) => one.start - other.start);
  if (inOrder[0]?.start !== 0) return false;
  for (const [index, { end, followedBy }] of inOrder.entries()) {
    const next = inOrder[index + 1]?.start ?? directory.start;
    const between = await bytesBetween(handle, end, next);
    if (!followedBy.some((bytes) => between?.equals(bytes))) return false;
  }
  return endsWithDirectory(handle, directory);
}

/** Records at the end of an archive (PKWARE APPNOTE.TXT 4.3.14 to 4.3.16): signature, and length in bytes without optional fields. */
const END = { signature: 0x06_05_4b_50, length: 22 };
const ZIP64_END = { signature: 0x06_06_4b_50, length: 56 };
const ZIP64_END_LOCATOR = { signature: 0x07_06_4b_50, length: 20 };

/** Returns whether the directory is followed by the end record alone, or by the zip64 records and the end record, with its offsets. */
async function endsWithDirectory(handle: FileHandle, { start, end, comment }: DirectoryPosition): Promise<boolean> {
  const { size } = await handle.stat();
  const tail = await bytesBetween(handle, end, size - comment);
  if (tail?.length === END.length) return tail.readUInt32LE(16) === start;
  if (tail?.length !== ZIP64_END.length + ZIP64_END_LOCATOR.length + END.length) return false;
  const locator = tail.subarray(ZIP64_END.length);
  const last = locator.subarray(ZIP64_END_LOCATOR.length);
  return (
    tail.readUInt32LE(0) === ZIP64_END.signature &&
    Number(tail.readBigUInt64LE(48)) === start &&
    locator.readUInt32LE(0) === ZIP64_END_LOCATOR.signature &&
    Number(locator.readBigUInt64LE(8)) === end &&
    last.readUInt32LE(0) === END.signature &&
    [IN_ZIP64_RECORD, start].includes(last.readUInt32LE(16))
  );
}

/** Bytes; longer than a data descriptor, and than all end records together. */
const MAX_GAP_SIZE = 128;

/** Returns the bytes from `start` to `end`; undefined if they overlap or are more than records take. */
async function bytesBetween(handle: FileHandle, start: number, end: number): Promise<Buffer | undefined> {
  return end < start || end - start > MAX_GAP_SIZE ? undefined : bytesAt(handle, start, end - start);
}
