/** Bytes that become one piece of text: what is kept of a text holds on to no more than this. */
const PIECE = 64 * 1024;
const LINE_FEED = 0x0a;

/** How the decoder says that bytes are not UTF-8. */
const INVALID = 'ERR_ENCODING_INVALID_ENCODED_DATA';

/** Decodes bytes that come in any cuts. */
export interface Utf8Pieces {
  write(bytes: Uint8Array): void;
  /** Also what remains at the end must be UTF-8. */
  end(): void;
}

/**
 * Texts of the bytes of a file; `refuse` is called once where they are not UTF-8, after the lines before it, and must throw. A byte order
 * mark is left to the XML parser.
 */
export function utf8Pieces(accept: (text: string) => void, refuse: () => never): Utf8Pieces {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let carried: Buffer = Buffer.alloc(0);
  const take = (bytes: Buffer) => {
    const text = decoded(decoder, bytes);
    if (text !== undefined) return accept(text);
    for (const line of linesOf(bytes)) {
      const good = decoded(decoder, line);
      if (good === undefined) return refuse();
      accept(good);
    }
  };
  return {
    write: (bytes) => {
      for (let begin = 0; begin < bytes.length; begin += PIECE) {
        const piece = Buffer.from(bytes.buffer, bytes.byteOffset + begin, Math.min(PIECE, bytes.length - begin));
        const whole = carried.length === 0 ? piece : Buffer.concat([carried, piece]);
        const end = whole.length - unfinished(whole);
        carried = Buffer.from(whole.subarray(end));
        if (end > 0) take(whole.subarray(0, end));
      }
    },
    end: () => {
      if (carried.length > 0) refuse();
    },
  };
}

/** How many bytes at the end begin a character that more bytes must complete. */
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

function decoded(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if ((error as { code?: string }).code === INVALID) return undefined;
    throw error;
  }
}

/** A line feed is never part of another character, so that lines can be told apart before they are decoded. */
function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let begin = 0; begin < bytes.length;) {
    const found = bytes.indexOf(LINE_FEED, begin);
    const end = found === -1 ? bytes.length : found + 1;
    yield bytes.subarray(begin, end);
    begin = end;
  }
}
