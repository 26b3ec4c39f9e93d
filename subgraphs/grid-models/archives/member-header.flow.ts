import { type Entry, type LocalFileHeader, parseExtraFields } from 'yauzl';

/** Flag bits 0, 6 and 13: encryption, strong encryption, masked header (APPNOTE.TXT 4.4.4). */
export const ENCRYPTED = 0x20_41;

/** Flag bit 3: a descriptor with sizes and checksum follows the data. */
const DESCRIPTOR_FOLLOWS = 0x8;

/** Id of the zip64 extra field, which holds sizes of 8 bytes (APPNOTE.TXT 4.5.3). */
const ZIP64_SIZES = 0x00_01;
/** Id of the extra field with a second, Unicode name of the entry (APPNOTE.TXT 4.6.9). */
export const UNICODE_PATH = 0x70_75;

/** Differences between the local header of a member and its directory entry. Some zip readers use the one, some the other. */
export function headerFaults(header: LocalFileHeader, entry: Entry): string[] {
  return [
    ...(header.fileName.equals(entry.fileNameRaw) ? [] : ['has a different name in its local header']),
    ...(header.compressionMethod === entry.compressionMethod
      ? []
      : ['has a different compression method in its local header']),
    ...(header.generalPurposeBitFlag & ENCRYPTED ? ['is encrypted according to its local header'] : []),
    ...(extraFieldsOf(header).some(({ id }) => id === UNICODE_PATH)
      ? ['has a second, Unicode name in its local header']
      : []),
    ...(agreesWithDirectory(header, entry) ? [] : ['has a different size or checksum in its local header']),
  ];
}

/** The byte sequences that may follow the data of a member: a descriptor with 4- or 8-byte sizes, with or without signature; or nothing. */
export function descriptorsOf({ generalPurposeBitFlag }: LocalFileHeader, entry: Entry): Buffer[] {
  if (!(generalPurposeBitFlag & DESCRIPTOR_FOLLOWS)) return [Buffer.alloc(0)];
  const { crc32, compressedSize, uncompressedSize } = entry;
  const short = Buffer.alloc(12);
  const long = Buffer.alloc(20);
  for (const descriptor of [short, long]) descriptor.writeUInt32LE(crc32, 0);
  short.writeUInt32LE(compressedSize, 4);
  short.writeUInt32LE(uncompressedSize, 8);
  long.writeBigUInt64LE(BigInt(compressedSize), 4);
  long.writeBigUInt64LE(BigInt(uncompressedSize), 12);
  return [short, long].flatMap((descriptor) => [descriptor, Buffer.concat([DESCRIPTOR_SIGNATURE, descriptor])]);
}

const DESCRIPTOR_SIGNATURE = Buffer.from('PK\u0007\u0008', 'latin1');

/** Returns whether checksum and sizes equal those of the directory. Zero is allowed where a descriptor follows. */
function agreesWithDirectory(header: LocalFileHeader, { crc32, compressedSize, uncompressedSize }: Entry): boolean {
  const stated = [header.crc32, ...statedSizes(header)];
  const listed = [crc32, uncompressedSize, compressedSize];
  const mayBeZero = (header.generalPurposeBitFlag & DESCRIPTOR_FOLLOWS) !== 0;
  return stated.every((number, index) => number === listed[index] || (mayBeZero && number === 0));
}

/** Value of a 4-byte field whose real value is in the zip64 record or extra field (APPNOTE.TXT 4.4.1.4). */
export const IN_ZIP64_RECORD = 0xff_ff_ff_ff;

function statedSizes(header: LocalFileHeader): number[] {
  const long = extraFieldsOf(header).find(({ id }) => id === ZIP64_SIZES)?.data ?? Buffer.alloc(0);
  let at = 0;
  return [header.uncompressedSize, header.compressedSize].map((size) => {
    if (size !== IN_ZIP64_RECORD || at + 8 > long.length) return size;
    at += 8;
    return Number(long.readBigUInt64LE(at - 8));
  });
}

/** Returns the extra fields; none if they are malformed. */
function extraFieldsOf({ extraField }: LocalFileHeader): ReturnType<typeof parseExtraFields> {
  try {
    return parseExtraFields(extraField);
  } catch {
    return [];
  }
}
