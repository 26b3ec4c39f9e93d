import type { FileHandle } from 'node:fs/promises';
import type { ArchiveMember } from './archive-member';
import { bytesAt } from './temporary-file';

/** Where the directory of an archive stands, and how long the comment at the end is. */
export interface DirectoryPlace {
  readonly start: number;
  readonly end: number;
  readonly comment: number;
}

/** Whether the bytes of an archive are its members, one after the other, then the directory and its end, and nothing in between. */
export async function isSeamless(
  handle: FileHandle,
  members: readonly ArchiveMember[],
  directory: DirectoryPlace,
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

/** Records at the end of an archive (APPNOTE.TXT, 4.3.14 to 4.3.16): signatures, and bytes without what may be added. */
const END = { signature: 0x06_05_4b_50, length: 22 };
const LONG_END = { signature: 0x06_06_4b_50, length: 56 };
const LONG_END_LOCATOR = { signature: 0x07_06_4b_50, length: 20 };

/** A number of four bytes that says: it is in the record of eight bytes. */
const ELSEWHERE = 0xff_ff_ff_ff;

/** After the directory come the records of its end: that of 32 bits, or those of 64 bits before it. */
async function endsWithDirectory(handle: FileHandle, { start, end, comment }: DirectoryPlace): Promise<boolean> {
  const { size } = await handle.stat();
  const tail = await bytesBetween(handle, end, size - comment);
  if (tail?.length === END.length) return tail.readUInt32LE(16) === start;
  if (tail?.length !== LONG_END.length + LONG_END_LOCATOR.length + END.length) return false;
  const locator = tail.subarray(LONG_END.length);
  const last = locator.subarray(LONG_END_LOCATOR.length);
  return (
    tail.readUInt32LE(0) === LONG_END.signature &&
    Number(tail.readBigUInt64LE(48)) === start &&
    locator.readUInt32LE(0) === LONG_END_LOCATOR.signature &&
    Number(locator.readBigUInt64LE(8)) === end &&
    last.readUInt32LE(0) === END.signature &&
    [ELSEWHERE, start].includes(last.readUInt32LE(16))
  );
}

/** More than any record between members has, or those at the end. */
const TOO_LONG = 128;

/** Undefined when that is more than a record. */
async function bytesBetween(handle: FileHandle, start: number, end: number): Promise<Buffer | undefined> {
  return end < start || end - start > TOO_LONG ? undefined : bytesAt(handle, start, end - start);
}
