import { isUtf8 } from 'node:buffer';

/** Bytes decoded into one string: a slice that a caller retains holds no more than this in memory. */
const PIECE_SIZE = 64 * 1024;
const LINE_FEED = 0x0a;

/** Decodes chunks of bytes, which may split characters. */
interface Utf8Pieces {
  write(bytes: Uint8Array): void;
  /** Ends the file; an incomplete last character is rejected. */
  end(): void;
}

/**
 * Creates a UTF-8 decoder that passes pieces of text to `accept`. At bytes that are not UTF-8 it calls `reject`, after `accept` for the
 * lines before; `reject` must throw. A byte order mark is passed on to the XML parser.
 */
export function utf8Pieces(accept: (text: string) => void, reject: () => never): Utf8Pieces {
  let carried: Buffer = Buffer.alloc(0);
  const take = (bytes: Buffer) => {
    const whole = decoded(bytes);
    if (whole !== undefined) return accept(whole);
    for (const line of linesOf(bytes)) {
      const text = decoded(line);
      if (text === undefined) return reject();
      accept(text);
    }
  };
  return {
    write: (bytes) => {
      for (let start = 0; start < bytes.length; start += PIECE_SIZE) {
        const piece = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(PIECE_SIZE, bytes.length - start));
        const whole = carried.length === 0 ? piece : Buffer.concat([carried, piece]);
        const end = whole.length - unfinished(whole);
        carried = Buffer.from(whole.subarray(end));
        if (end > 0) take(whole.subarray(0, end));
      }
    },
    end: () => {
      if (carried.length > 0) reject();
    },
  };
}

/** Returns the number of bytes at the end that start an incomplete character. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

function lengthOf(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

function decoded(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** Splits bytes into lines before decoding: in UTF-8, the byte of a line feed is never part of another character. */
function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found === -1 ? bytes.length : found + 1;
    yield bytes.subarray(start, end);
    start = end;
  }
}
