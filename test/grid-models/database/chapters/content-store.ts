import { hash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type ContentStore, contentStore } from '../../../../subgraphs/grid-models/files/content-store.flow';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { CHUNK_BYTES, ContentRepository } from '../../../../subgraphs/grid-models/files/content.repository';
import { type GridDatabase, gridDatabase } from '../../../support/grid-database';

export function storedContents(): void {
  const MIB = 1024 * 1024;
  const SHORT = randomBytes(3 * CHUNK_BYTES + 17);
  const LONG = randomBytes(9 * MIB + 5);

  type Key = Parameters<ContentStore['address']>[0];
  let keys: { short: Key; long: Key; empty: Key };
  /** Current time of the store, in seconds. */
  let now = 1_790_000_000;
  let statements = 0;
  let store: ContentStore;

  let grid: GridDatabase;
  beforeAll(async () => {
    grid = await gridDatabase();
    const staging = await grid.parts.publications.stage(null, Buffer.alloc(32));
    stagedVersion = staging.id;
    keys = {
      short: await stored(staging.id, 'EQ', SHORT),
      long: await stored(staging.id, 'SC', LONG),
      empty: await stored(staging.id, 'GL', Buffer.alloc(0)),
    };
    held = staging.end;
  });
  let stagedVersion: string;
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

  async function stored(
    version: string,
    member: 'EQ' | 'SC' | 'GL',
    bytes: Buffer,
    view: 'rdf' | 'json' | 'zip' = 'rdf',
  ): Promise<Key> {
    const { contents } = grid.parts;
    const sha256 = hash('sha256', bytes, 'hex');
    const kind = {
      member,
      view,
      encoding: 'identity',
      size: bytes.length,
      sha256: Buffer.from(sha256, 'hex'),
    } as const;
    const content = await contents.add(version, kind);
    for (let number = 0; number * CHUNK_BYTES < bytes.length; number += 1) {
      const begin = number * CHUNK_BYTES;
      await contents.addChunk(content, { number, bytes: bytes.subarray(begin, begin + CHUNK_BYTES) });
    }
    return { content, sha256 };
  }

  describe('the address of a content', () => {
    it('is valid for 30 to 60 seconds', async () => {
      for (const second of [0, 1, 15, 29, 30, 59]) {
        now = 1_790_000_000 + second;
        const address = store.address(keys.short);
        now += 29;
        expect(SHORT.equals((await store.open(address)) as Buffer)).toBe(true);
        now += 31;
        expect(await store.open(address)).toBeUndefined();
      }
    });

    it('is valid for no other content, expiry or key', async () => {
      const address = store.address(keys.short);
      const [, number, digest, expires, signature] = /^\/content\/(\d+)\.([\da-f]{64})\.(\d+)\.([\w-]{43})$/.exec(
        address,
      ) as unknown as string[];
      const other = contentStore(grid.parts.contents, randomBytes(32), () => now * 1000).address(keys.short);
      const forged = [
        `/content/${keys.long.content}.${digest}.${expires}.${signature}`,
        `/content/${number}.${keys.long.sha256}.${expires}.${signature}`,
        `/content/${number}.${digest}.${Number(expires) + 30}.${signature}`,
        `/content/${number}.${digest}.${expires}.${'A'.repeat(43)}`,
        `/content/0${number}.${digest}.${expires}.${signature}`,
        `/content/${number}.${expires}.${signature}`,
        ...[other, `${address}.`, address.slice(1), '', '/content/../content', `/content/${number}`],
      ];
      for (const sent of forged) expect({ sent, found: await store.open(sent) }).toEqual({ sent, found: undefined });
      expect(await store.open(store.address({ ...keys.short, content: 2_000_000_000 }))).toBeUndefined();
    });
  });

  /** Replaces the bytes of a content, as a database does that is rewound and then publishes another archive under the same number. */
  async function replaced({ content }: Key, bytes: Buffer): Promise<Key> {
    const sha256 = hash('sha256', bytes, 'hex');
    await grid.owner.query('alter table content disable trigger user');
    await grid.owner.query('alter table content_chunk disable trigger user');
    await grid.owner.query('update content set size = $2, sha256 = $3 where number = $1', [
      ...[content, bytes.length, Buffer.from(sha256, 'hex')],
    ]);
    await grid.owner.query('delete from content_chunk where content = $1', [content]);
    await grid.parts.contents.addChunk(content, { number: 0, bytes });
    await grid.owner.query('alter table content enable trigger user');
    await grid.owner.query('alter table content_chunk enable trigger user');
    return { content, sha256 };
  }

  describe('a content whose number was used again', () => {
    it('is that of the digest in its address: not the former one, and never under the former digest', async () => {
      const [former, later] = [randomBytes(1_000), randomBytes(2_000)];
      const key = await stored(stagedVersion, 'EQ', former, 'json');
      expect(await store.open(store.address(key))).toEqual(former);
      const other = contentStore(grid.parts.contents, grid.key, () => now * 1000);
      const again = await replaced(key, later);
      expect(await store.open(store.address(again))).toEqual(later);
      expect(await store.open(store.address(key))).toEqual(former);
      expect(await other.open(other.address(key))).toBeUndefined();
    });

    it('is not served if its chunks have another digest than its row', async () => {
      const key = await stored(stagedVersion, 'SC', randomBytes(1_000), 'json');
      const bytes = randomBytes(1_000);
      const again = await replaced(key, bytes);
      await grid.owner.query('alter table content_chunk disable trigger user');
      await grid.owner.query('update content_chunk set bytes = $2 where content = $1', [
        key.content,
        randomBytes(1_000),
      ]);
      await grid.owner.query('alter table content_chunk enable trigger user');
      expect(await store.open(store.address(again))).toBeUndefined();
    });
  });

  it('The address of the previous release, without a digest, is valid', async () => {
    const expires = Math.floor(now / 30) * 30 + 60;
    const signature = keyedHash(grid.key, 'content-address')(`${keys.short.content}.${expires}`).toString('base64url');
    const address = `/content/${keys.short.content}.${expires}.${signature}`;
    expect(SHORT.equals((await store.open(address)) as Buffer)).toBe(true);
    expect(await store.open(address.replace(signature, 'A'.repeat(43)))).toBeUndefined();
  });

  it('The cache holds 64 MiB: the content that was read longest ago leaves it', async () => {
    const staging = await grid.parts.publications.stage(null, Buffer.alloc(32));
    const read: Key[] = [];
    for (const member of ['EQ', 'SC', 'GL'] as const)
      for (const view of ['rdf', 'json', 'zip'] as const) {
        const pattern = randomBytes(16);
        const bytes = Buffer.alloc(8 * MIB, pattern);
        const kind = { member, view, encoding: 'identity', size: bytes.length } as const;
        const sha256 = hash('sha256', bytes, 'buffer');
        const content = await grid.parts.contents.add(staging.id, { ...kind, sha256 });
        await grid.owner.query(
          `insert into content_chunk select $1, number, decode(repeat($2, $3::integer), 'hex') from generate_series(0, 31) number`,
          [content, pattern.toString('hex'), CHUNK_BYTES / pattern.length],
        );
        read.push({ content, sha256: sha256.toString('hex') });
      }
    const statementsFor = async (key: Key) => {
      const before = statements;
      expect((await store.open(store.address(key))) as Buffer).toHaveLength(8 * MIB);
      return statements - before;
    };
    for (const key of read) expect(await statementsFor(key)).toBeGreaterThan(0);
    expect(await Promise.all(read.slice(1).map(statementsFor))).toEqual(Array(8).fill(0));
    expect(await statementsFor(read[0] as Key)).toBeGreaterThan(0);
    await staging.end();
  });

  describe('a content', () => {
    it('that is short is returned as a buffer, later from the cache; concurrent calls share one read', async () => {
      const address = store.address(keys.short);
      const found = await Promise.all(Array.from({ length: 10 }, () => store.open(address)));
      expect(found.every((bytes) => SHORT.equals(bytes as Buffer))).toBe(true);
      const used = statements;
      expect(await store.open(address, { start: 5, end: 9 })).toEqual(SHORT.subarray(5, 10));
      expect(statements).toBe(used);
      expect(used).toBeLessThanOrEqual(11);
    });

    it('that is empty is empty', async () => {
      expect(await store.open(store.address(keys.empty))).toEqual(Buffer.alloc(0));
    });

    it('that is long is returned as a stream, which reads chunk by chunk', async () => {
      const stream = (await store.open(store.address(keys.long))) as Readable;
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
      const stream = (await store.open(store.address(keys.long), { start, end })) as Readable;
      expect((await buffer(stream)).equals(LONG.subarray(start, end + 1))).toBe(true);
    });
  });
}
