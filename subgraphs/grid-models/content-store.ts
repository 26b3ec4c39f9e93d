import { timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { keyedHash } from '../server/keyed-hash';
import { CHUNK_BYTES, type ContentRepository } from './database/content.repository';

/** A part of a content: both ends are part of it, from 0. */
export interface ContentRange {
  readonly start: number;
  readonly end: number;
}

/** Stored contents at addresses that are valid for at most a minute: whoever has one may read the bytes. */
export interface ContentStore {
  /** The address of a content by its number: `/content/<number>.<expires>.<signature>`, valid for 30 to 60 seconds. */
  address(content: number): string;
  /** Short contents come whole, long ones as a stream; undefined when the address is none or has expired. */
  open(address: string, range?: ContentRange): Promise<Buffer | Readable | undefined>;
}

const ADDRESS = /^\/content\/([1-9]\d{0,9})\.(\d{1,12})\.([\w-]{43})$/;

/** Seconds that an address is valid at least; it ends with one of these periods, so that one address serves for all of it. */
const VALID_SECONDS = 30;

/** Contents up to this size are kept in memory, as long as all of them together fit. */
const KEPT_BYTES = 8 * 1024 * 1024;
const KEPT_TOGETHER = 64 * 1024 * 1024;

/** The contents of the database, with those that are asked for most in memory. `now` in milliseconds of real time. */
export function contentStore(contents: ContentRepository, key: Buffer, now: () => number = Date.now): ContentStore {
  const sign = keyedHash(key, 'content-address');
  const kept = new LRUCache<number, Buffer>({ maxSize: KEPT_TOGETHER, sizeCalculation: ({ length }) => length || 1 });
  const reading = new Map<number, Promise<Buffer>>();

  /** Those who miss a content at once share one read. */
  async function whole(content: number): Promise<Buffer> {
    const bytes = kept.get(content) ?? reading.get(content);
    if (bytes !== undefined) return bytes;
    const read = contents.read(content).finally(() => reading.delete(content));
    reading.set(content, read);
    const found = await read;
    kept.set(content, found);
    return found;
  }

  return {
    address(content) {
      const expires = (Math.floor(now() / 1000 / VALID_SECONDS) + 2) * VALID_SECONDS;
      return `/content/${content}.${expires}.${sign(`${content}.${expires}`).toString('base64url')}`;
    },
    async open(address, range) {
      const [, number, expires, signature] = ADDRESS.exec(address) ?? [];
      if (number === undefined || Number(expires) * 1000 <= now()) return undefined;
      const given = Buffer.from(signature as string, 'base64url');
      if (!timingSafeEqual(given, sign(`${number}.${expires}`))) return undefined;
      const content = Number(number);
      const size = kept.peek(content)?.length ?? (await contents.size(content));
      if (size === undefined) return undefined;
      const { start, end } = range ?? { start: 0, end: size - 1 };
      if (size > KEPT_BYTES) return Readable.from(parts(contents, content, start, Math.min(end, size - 1)));
      return (await whole(content)).subarray(start, end + 1);
    },
  };
}

/** Chunks that are read at once: as much as one reader holds in memory. */
const CHUNKS_AT_ONCE = 4;

/** The bytes from `start` to `end`, read as they are consumed. */
async function* parts(
  contents: ContentRepository,
  content: number,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  const last = Math.floor(end / CHUNK_BYTES);
  for (let first = Math.floor(start / CHUNK_BYTES); first <= last; first += CHUNKS_AT_ONCE) {
    const chunks = await contents.chunks(content, first, Math.min(first + CHUNKS_AT_ONCE - 1, last));
    for (const { number, bytes } of chunks) {
      const offset = number * CHUNK_BYTES;
      yield bytes.subarray(Math.max(0, start - offset), end - offset + 1);
    }
  }
}
