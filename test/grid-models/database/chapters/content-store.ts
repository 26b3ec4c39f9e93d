import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type ContentStore, contentStore } from '../../../../subgraphs/grid-models/files/content-store.flow';
import { CHUNK_BYTES, ContentRepository } from '../../../../subgraphs/grid-models/files/content.repository';
import { type GridDatabase, gridDatabase } from '../../../support/grid-database';

export function storedContents(): void {
  const MIB = 1024 * 1024;
  const SHORT = randomBytes(3 * CHUNK_BYTES + 17);
  const LONG = randomBytes(9 * MIB + 5);

  let numbers: { short: number; long: number; empty: number };
  /** Current time of the store, in seconds. */
  let now = 1_790_000_000;
  let statements = 0;
  let store: ContentStore;

  let grid: GridDatabase;
  beforeAll(async () => {
    grid = await gridDatabase();
    const staging = await grid.parts.publications.stage(null, Buffer.alloc(32));
    numbers = {
      short: await stored(staging.id, 'EQ', SHORT),
      long: await stored(staging.id, 'SC', LONG),
      empty: await stored(staging.id, 'GL', Buffer.alloc(0)),
    };
    held = staging.end;
  });
  let held: () => Promise<void>;
  afterAll(async () => {
    await held?.();
    await grid?.close();
  });

  beforeEach(() => {
    statements = 0;
    const { pool } = grid.database;
    const counted = new Proxy(pool, {
      get: (target, name) => {
        if (name === 'query') statements += 1;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    store = contentStore(new ContentRepository(counted), grid.key, () => now * 1000);
  });

  async function stored(version: string, member: 'EQ' | 'SC' | 'GL', bytes: Buffer): Promise<number> {
    const { contents } = grid.parts;
    const kind = { member, view: 'rdf', encoding: 'identity', size: bytes.length, sha256: Buffer.alloc(32) } as const;
    const content = await contents.add(version, kind);
    for (let number = 0; number * CHUNK_BYTES < bytes.length; number += 1) {
      const begin = number * CHUNK_BYTES;
      await contents.addChunk(content, { number, bytes: bytes.subarray(begin, begin + CHUNK_BYTES) });
    }
    return content;
  }

  describe('the address of a content', () => {
    it('is valid for 30 to 60 seconds', async () => {
      for (const second of [0, 1, 15, 29, 30, 59]) {
        now = 1_790_000_000 + second;
        const address = store.address(numbers.short);
        now += 29;
        expect(SHORT.equals((await store.open(address)) as Buffer)).toBe(true);
        now += 31;
        expect(await store.open(address)).toBeUndefined();
      }
    });

    it('is valid for no other content, expiry or key', async () => {
      const address = store.address(numbers.short);
      const [, number, expires, signature] = /^\/content\/(\d+)\.(\d+)\.([\w-]{43})$/.exec(
        address,
      ) as unknown as string[];
      const other = contentStore(grid.parts.contents, randomBytes(32), () => now * 1000).address(numbers.short);
      const forged = [
        `/content/${numbers.long}.${expires}.${signature}`,
        `/content/${number}.${Number(expires) + 30}.${signature}`,
        `/content/${number}.${expires}.${'A'.repeat(43)}`,
        `/content/0${number}.${expires}.${signature}`,
        ...[other, `${address}.`, address.slice(1), '', '/content/../content', `/content/${number}`],
      ];
      for (const sent of forged) expect({ sent, found: await store.open(sent) }).toEqual({ sent, found: undefined });
      expect(await store.open(store.address(2_000_000_000))).toBeUndefined();
    });
  });

  describe('a content', () => {
    it('that is short is returned as a buffer, later from the cache; concurrent calls share one read', async () => {
      const address = store.address(numbers.short);
      const found = await Promise.all(Array.from({ length: 10 }, () => store.open(address)));
      expect(found.every((bytes) => SHORT.equals(bytes as Buffer))).toBe(true);
      const used = statements;
      expect(await store.open(address, { start: 5, end: 9 })).toEqual(SHORT.subarray(5, 10));
      expect(statements).toBe(used);
      expect(used).toBeLessThanOrEqual(11);
    });

    it('that is empty is empty', async () => {
      expect(await store.open(store.address(numbers.empty))).toEqual(Buffer.alloc(0));
    });

    it('that is long is returned as a stream, which reads chunk by chunk', async () => {
      const stream = (await store.open(store.address(numbers.long))) as Readable;
      expect(stream).toBeInstanceOf(Readable);
      await new Promise((resolve) => void stream.once('readable', resolve));
      await grid.database.pool.query('select');
      expect(statements).toBeLessThanOrEqual(3);
      expect((await buffer(stream)).equals(LONG)).toBe(true);
      expect(statements).toBeGreaterThan(9);
    });

    it.each([
      ['in one chunk', 10, 20],
      ['over chunks', CHUNK_BYTES - 1, 3 * CHUNK_BYTES],
      ['a single byte at the border', CHUNK_BYTES, CHUNK_BYTES],
      ['to the end', LONG.length - 3, LONG.length - 1],
      ['all of it', 0, LONG.length - 1],
    ])('that is long is read by range: %s', async (_, start, end) => {
      const stream = (await store.open(store.address(numbers.long), { start, end })) as Readable;
      expect((await buffer(stream)).equals(LONG.subarray(start, end + 1))).toBe(true);
    });
  });
}
