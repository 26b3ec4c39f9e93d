import { type Entry, type LocalFileHeader, parseExtraFields } from 'yauzl';

/** Flags that say of a member that it is encrypted: itself, strongly, or its header. */
export const ENCRYPTED = 0x20_41;

/** The flag that says of a member: its sizes and its checksum follow its data. */
const DESCRIPTOR_FOLLOWS = 0x8;

/** The extra field that holds the sizes of 64 bits. */
const LONG_SIZES = 0x00_01;
/** The extra field that gives an entry a second name, in Unicode. */
export const UNICODE_PATH = 0x70_75;

/** Why the header in front of a member is not that which the directory tells of: some read the one, some the other. */
export function headerFaults(header: LocalFileHeader, entry: Entry): string[] {
  return [
    ...(header.fileName.equals(entry.fileNameRaw) ? [] : ['has another name in its own header']),
    ...(header.compressionMethod === entry.compressionMethod
      ? []
      : ['has another compression method in its own header']),
    ...(header.generalPurposeBitFlag & ENCRYPTED ? ['is encrypted by its own header'] : []),
    ...(addedFields(header).some(({ id }) => id === UNICODE_PATH) ? ['has a second name in its own header'] : []),
    ...(tellsTheSame(header, entry) ? [] : ['has another size or checksum in its own header']),
  ];
}

/** What may follow the data of a member: its descriptor with or without signature, sizes in 32 or 64 bits; or nothing. */
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

/** What it tells is what the directory tells; where a descriptor follows, the header may leave it to that. */
function tellsTheSame(header: LocalFileHeader, { crc32, compressedSize, uncompressedSize }: Entry): boolean {
  const stated = [header.crc32, ...statedSizes(header)];
  const listed = [crc32, uncompressedSize, compressedSize];
  const mayBeLeftOut = (header.generalPurposeBitFlag & DESCRIPTOR_FOLLOWS) !== 0;
  return stated.every((number, index) => number === listed[index] || (mayBeLeftOut && number === 0));
}

/** A size of four bytes that says: it is among the sizes of eight bytes. */
const ELSEWHERE = 0xff_ff_ff_ff;

function statedSizes(header: LocalFileHeader): number[] {
  const long = addedFields(header).find(({ id }) => id === LONG_SIZES)?.data ?? Buffer.alloc(0);
  let at = 0;
  return [header.uncompressedSize, header.compressedSize].map((size) => {
    if (size !== ELSEWHERE || at + 8 > long.length) return size;
    at += 8;
    return Number(long.readBigUInt64LE(at - 8));
  });
}

/** Those that can be read. */
function addedFields({ extraField }: LocalFileHeader): ReturnType<typeof parseExtraFields> {
  try {
    return parseExtraFields(extraField);
  } catch {
    return [];
  }
}
