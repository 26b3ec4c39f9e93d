import { timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { keyedHash } from '../../server/keyed-hash';
import { CHUNK_BYTES, type ContentRepository } from './content.repository';

/** A byte range of a content, from 0; both ends are inclusive. */
export interface ContentRange {
  readonly start: number;
  readonly end: number;
}

/** Serves stored contents at signed addresses, which are valid for at most 60 seconds. The address is the only authorisation. */
export interface ContentStore {
  /** Returns the address of a content: `/content/<number>.<expires>.<signature>`, valid for 30 to 60 seconds. */
  address(content: number): string;
  /** Returns a content of up to 8 MiB as a buffer, a longer one as a stream; undefined if the address is invalid or expired. */
  open(address: string, range?: ContentRange): Promise<Buffer | Readable | undefined>;
}

const ADDRESS = /^\/content\/([1-9]\d{0,9})\.(\d{1,12})\.([\w-]{43})$/;

/** Seconds. An address expires at the end of the next period, so that all addresses issued in one period are equal. */
const ADDRESS_PERIOD_SECONDS = 30;

/** Contents whose addresses of the current period are cached. */
const MAX_CACHED_ADDRESSES = 10_000;

/** Bytes of one content, and of all contents, in the cache. */
const MAX_CACHED_CONTENT_SIZE = 8 * 1024 * 1024;
const MAX_CACHE_SIZE = 64 * 1024 * 1024;

/** Serves contents from the database through an LRU cache. `now` returns milliseconds since 1970. */
export function contentStore(contents: ContentRepository, key: Buffer, now: () => number = Date.now): ContentStore {
  const sign = keyedHash(key, 'content-address');
  const cache = new LRUCache<number, Buffer>({ maxSize: MAX_CACHE_SIZE, sizeCalculation: ({ length }) => length || 1 });
  const reading = new Map<number, Promise<Buffer>>();

  /** Reads a content through the cache. Concurrent calls for one content share a read. */
  async function read(content: number): Promise<Buffer> {
    const bytes = cache.get(content) ?? reading.get(content);
    if (bytes !== undefined) return bytes;
    const pending = contents.read(content).finally(() => reading.delete(content));
    reading.set(content, pending);
    const found = await pending;
    cache.set(content, found);
    return found;
  }

  const signatures = addressSignatures(sign);
  return {
    address(content) {
      const expires = (Math.floor(now() / 1000 / ADDRESS_PERIOD_SECONDS) + 2) * ADDRESS_PERIOD_SECONDS;
      return `/content/${content}.${expires}.${signatures.issue(content, expires).toString('base64url')}`;
    },
    async open(address, range) {
      const [, number, expires, signature] = ADDRESS.exec(address) ?? [];
      if (number === undefined || Number(expires) * 1000 <= now()) return undefined;
      const supplied = Buffer.from(signature as string, 'base64url');
      if (!timingSafeEqual(supplied, signatures.expected(number, expires as string))) return undefined;
      const content = Number(number);
      const size = cache.peek(content)?.length ?? (await contents.size(content));
      if (size === undefined) return undefined;
      const { start, end } = range ?? { start: 0, end: size - 1 };
      if (size > MAX_CACHED_CONTENT_SIZE)
        return Readable.from(chunksBetween(contents, content, start, Math.min(end, size - 1)));
      return (await read(content)).subarray(start, end + 1);
    },
  };
}

/** Signs addresses `<content>.<expires>`. */
interface AddressSignatures {
  /** Signs an address of the current period. */
  issue(content: number, expires: number): Buffer;
  /** Returns the signature that a supplied address must have. */
  expected(content: string, expires: string): Buffer;
}

/** Caches the signatures of the current period, because a request for a file needs one for each of its representations. */
function addressSignatures(sign: (text: string) => Buffer): AddressSignatures {
  const cached = new Map<number, Buffer>();
  let period = 0;
  return {
    issue(content, expires) {
      if (expires !== period || cached.size >= MAX_CACHED_ADDRESSES) {
        cached.clear();
        period = expires;
      }
      let signature = cached.get(content);
      if (signature === undefined) cached.set(content, (signature = sign(`${content}.${expires}`)));
      return signature;
    },
    expected: (content, expires) =>
      (expires === String(period) ? cached.get(Number(content)) : undefined) ?? sign(`${content}.${expires}`),
  };
}

/** Chunks in one statement: 1 MiB, which one download holds in memory. */
const CHUNKS_PER_READ = 4;

/** Yields the bytes from `start` to `end`; reads from the database as they are consumed. */
async function* chunksBetween(
  contents: ContentRepository,
  content: number,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  const last = Math.floor(end / CHUNK_BYTES);
  for (let first = Math.floor(start / CHUNK_BYTES); first <= last; first += CHUNKS_PER_READ) {
    const chunks = await contents.chunks(content, first, Math.min(first + CHUNKS_PER_READ - 1, last));
    for (const { number, bytes } of chunks) {
      const offset = number * CHUNK_BYTES;
      yield bytes.subarray(Math.max(0, start - offset), end - offset + 1);
    }
  }
}
