import { hash, timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { keyedHash } from '../../server/keyed-hash';
import { CHUNK_BYTES, type ContentRepository } from './content.repository';

/** A byte range of a content, from 0; both ends are inclusive. */
export interface ContentRange {
  readonly start: number;
  readonly end: number;
}

/** Identifies the bytes of a content. A database that is restored or rewound uses its number again, for other bytes. */
interface ContentKey {
  readonly content: number;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string;
}

/** Serves stored contents at signed addresses, which are valid for at most 60 seconds. The address is the only authorisation. */
export interface ContentStore {
  /** Returns the address of a content: `/content/<number>.<sha256>.<expires>.<signature>`, valid for 30 to 60 seconds. */
  address(content: ContentKey): string;
  /**
   * Returns a content of up to 8 MiB as a buffer, a longer one as a stream; undefined if the address is invalid or expired, or if the database
   * has other bytes under its number.
   */
  open(address: string, range?: ContentRange): Promise<Buffer | Readable | undefined>;
}

/** The previous release issues addresses without a digest. */
const ADDRESS = /^\/content\/([1-9]\d{0,9})(?:\.([\da-f]{64}))?\.(\d{1,12})\.([\w-]{43})$/;

/** Seconds. An address expires at the end of the next period, so that all addresses issued in one period are equal. */
const ADDRESS_PERIOD_SECONDS = 30;

/** Contents whose addresses of the current period are cached. */
const MAX_CACHED_ADDRESSES = 10_000;

/** Bytes of one content, and of all contents, in the cache. */
const MAX_CACHED_CONTENT_SIZE = 8 * 1024 * 1024;
const MAX_CACHE_SIZE = 64 * 1024 * 1024;

/** Serves contents from the database through an LRU cache by digest. `now` returns milliseconds since 1970. */
export function contentStore(contents: ContentRepository, key: Buffer, now: () => number = Date.now): ContentStore {
  const sign = keyedHash(key, 'content-address');
  const cache = new LRUCache<string, Buffer>({ maxSize: MAX_CACHE_SIZE, sizeCalculation: ({ length }) => length || 1 });
  const reading = new Map<string, Promise<Buffer | undefined>>();

  /** Reads a content into the cache; undefined if it has another digest. */
  async function readNow({ content, sha256 }: ContentKey): Promise<Buffer | undefined> {
    const bytes = await contents.read(content);
    if (hash('sha256', bytes, 'hex') !== sha256) return undefined;
    cache.set(sha256, bytes);
    return bytes;
  }

  /** Concurrent calls for the same bytes share a read. */
  function read(wanted: ContentKey): Promise<Buffer | undefined> {
    const { sha256 } = wanted;
    const pending = reading.get(sha256) ?? readNow(wanted).finally(() => reading.delete(sha256));
    reading.set(sha256, pending);
    return pending;
  }

  const signatures = addressSignatures(sign);
  return {
    address({ content, sha256 }) {
      const expires = (Math.floor(now() / 1000 / ADDRESS_PERIOD_SECONDS) + 2) * ADDRESS_PERIOD_SECONDS;
      const name = `${content}.${sha256}`;
      return `/content/${name}.${expires}.${signatures.issue(name, expires).toString('base64url')}`;
    },
    async open(address, range) {
      const [, number, digest, expires, signature] = ADDRESS.exec(address) ?? [];
      if (number === undefined || Number(expires) * 1000 <= now()) return undefined;
      const supplied = Buffer.from(signature as string, 'base64url');
      const name = digest === undefined ? number : `${number}.${digest}`;
      if (!timingSafeEqual(supplied, signatures.expected(name, expires as string))) return undefined;
      const cached = digest === undefined ? undefined : cache.get(digest);
      if (cached !== undefined) return partOf(cached, range);
      const content = Number(number);
      const stored = await contents.properties(content);
      if (stored === undefined || (digest ?? stored.sha256) !== stored.sha256) return undefined;
      const { size, sha256 } = stored;
      const { start, end } = range ?? { start: 0, end: size - 1 };
      if (size > MAX_CACHED_CONTENT_SIZE)
        return Readable.from(chunksBetween(contents, content, start, Math.min(end, size - 1)));
      const bytes = cache.get(sha256) ?? (await read({ content, sha256 }));
      return bytes && partOf(bytes, range);
    },
  };
}

const partOf = (bytes: Buffer, range?: ContentRange): Buffer =>
  range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);

/** Signs addresses `<name>.<expires>`. */
interface AddressSignatures {
  /** Signs an address of the current period. */
  issue(name: string, expires: number): Buffer;
  /** Returns the signature that a supplied address must have. */
  expected(name: string, expires: string): Buffer;
}

/** Caches the signatures of the current period, because a request for a file needs one for each of its representations. */
function addressSignatures(sign: (text: string) => Buffer): AddressSignatures {
  const cached = new Map<string, Buffer>();
  let period = 0;
  return {
    issue(name, expires) {
      if (expires !== period || cached.size >= MAX_CACHED_ADDRESSES) {
        cached.clear();
        period = expires;
      }
      let signature = cached.get(name);
      if (signature === undefined) cached.set(name, (signature = sign(`${name}.${expires}`)));
      return signature;
    },
    expected: (name, expires) =>
      (expires === String(period) ? cached.get(name) : undefined) ?? sign(`${name}.${expires}`),
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
