import { open, readdir, truncate } from 'node:fs/promises';
import os from 'node:os';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Pool } from 'pg';
import pino from 'pino';
import { contentStore } from '../../../../subgraphs/grid-models/files/content-store.flow';
import { ContentRepository } from '../../../../subgraphs/grid-models/files/content.repository';
import { UploadRepository } from '../../../../subgraphs/grid-models/publications/upload.repository';
import { ShortReads } from '../../../../subgraphs/server/database/short-reads';
import { gridFiles } from '../../../../subgraphs/grid-models/files/files.module';
import { openArchive } from '../../../../subgraphs/grid-models/archives/archive.flow';
import { publishArchive } from '../../../../subgraphs/grid-models/publications/publish.flow';
import { publicationQueue } from '../../../../subgraphs/grid-models/publications/publication-queue';
import type { UploadOutcome } from '../../../../subgraphs/grid-models/publications/received-archive.flow';
import { type Uploads, uploadsOf } from '../../../../subgraphs/grid-models/publications/uploads.flow';
import { type TrialEntry, differenceModelXml, gridArchive, lineSegment, zipOf } from '../../../support/grid-archives';
import { type GridDatabase, TEST_KEY, gridDatabase } from '../../../support/grid-database';
import { heldBy } from '../../../support/held-lock';
import { until } from '../../../support/until';

export function publishingRejected(): void {
  let grid: GridDatabase;
  beforeAll(async () => {
    grid = await gridDatabase();
  });
  afterAll(async () => {
    // Other tests may just be creating such files: all of them are unlinked immediately.
    await until(async () => (await readdir(tmpdir())).every((name) => !name.startsWith('grid-models-')) || undefined);
    await grid.close();
  });

  /** All faults of an archive, in the format of the command `publish-grid`. */
  async function reasons(archive: Buffer): Promise<string[]> {
    const outcome = await grid.publish(archive);
    if (outcome.outcome === 'published') return [];
    return outcome.faults.map(({ file, line, message }) => `${file ?? 'archive'}:${line ?? '-'}: ${message}`);
  }

  const [EQ, SC, GL] = (['EQ', 'SC', 'GL'] as const).map((file) => ({
    name: `${file}.xml`,
    bytes: differenceModelXml(file),
  }));
  const WHOLE = [EQ, SC, GL] as TrialEntry[];
  const MIB = 1024 * 1024;

  describe('the members of an archive are rejected', () => {
    it.each([
      ['one that is missing', [EQ, SC], ['GL.xml:-: is missing from the archive']],
      [
        'an additional member',
        [...WHOLE, { name: 'README.txt', bytes: 'x' }],
        ['README.txt:-: must not be in the archive: its members are EQ.xml, SC.xml and GL.xml'],
      ],
      [
        'a folder',
        [...WHOLE, { name: 'models/EQ.xml', bytes: 'x' }],
        ['models/EQ.xml:-: must not be in the archive: its members are EQ.xml, SC.xml and GL.xml'],
      ],
      [
        'a name in another case',
        [...WHOLE, { name: 'eq.xml', bytes: 'x' }],
        ['eq.xml:-: must not be in the archive: its members are EQ.xml, SC.xml and GL.xml'],
      ],
      ['one that is there twice', [...WHOLE, SC], ['SC.xml:-: is in the archive more than once']],
      ['a link', [SC, GL, { ...EQ, mode: 0o120_777 }], ['EQ.xml:-: is not a regular file']],
      [
        'one of more than 64 MiB',
        [SC, GL, { name: 'EQ.xml', bytes: Buffer.alloc(64 * MIB + 1, ' '), compress: false }],
        ['EQ.xml:-: has more than 64 MiB'],
      ],
      [
        'one that is compressed beyond 200:1',
        [SC, GL, { name: 'EQ.xml', bytes: Buffer.alloc(MIB, ' ') }],
        ['EQ.xml:-: is compressed beyond 200:1'],
      ],
    ])('for %s', async (_, entries, expected) => {
      expect(await reasons(await zipOf(entries as TrialEntry[]))).toEqual(expected);
    });
  });

  /** Signatures of the directory entry and of the local header, and the offset of the name in each. */
  const SIGNATURES = { directory: 'PK\u0001\u0002', local: 'PK\u0003\u0004' } as const;
  const NAME_AT = { directory: 46, local: 30 } as const;

  /** Returns the zip with a changed header of one entry. */
  function changed(
    zip: Buffer,
    name: string,
    place: keyof typeof SIGNATURES,
    change: (header: Buffer) => void,
  ): Buffer {
    const copy = Buffer.from(zip);
    for (let at = copy.indexOf(SIGNATURES[place]); at >= 0; at = copy.indexOf(SIGNATURES[place], at + 4)) {
      const nameAt = at + NAME_AT[place];
      if (copy.toString('latin1', nameAt, nameAt + name.length) !== name) continue;
      change(copy.subarray(at));
      return copy;
    }
    throw new Error(`no header of ${name}`);
  }

  /**
   * Returns the zip with another number in a field of both headers of EQ.xml; `field` is the offset in the directory
   * entry.
   */
  function lying(zip: Buffer, field: number, value: number): Buffer {
    const listed = changed(zip, 'EQ.xml', 'directory', (header) => void header.writeUInt32LE(value, field));
    return changed(listed, 'EQ.xml', 'local', (header) => void header.writeUInt32LE(value, field - 2));
  }

  const DIFFERENT_SIZES = 'has a different size or checksum in its local header';

  /** Returns the zip with bytes inserted before its directory, and the offsets of the `later` members corrected. */
  function inserted(zip: Buffer, at: number, bytes: Buffer, later: readonly string[] = []): Buffer {
    let longer: Buffer = Buffer.concat([zip.subarray(0, at), bytes, zip.subarray(at)]);
    const move = (place: number) => void longer.writeUInt32LE(longer.readUInt32LE(place) + bytes.length, place);
    move(longer.lastIndexOf('PK\u0005\u0006') + 16);
    for (const name of later)
      longer = changed(longer, name, 'directory', (header) =>
        header.writeUInt32LE(header.readUInt32LE(42) + bytes.length, 42),
      );
    return longer;
  }

  /** Returns the zip as `zip -` writes it into a pipe: a descriptor, after the bytes `before`, follows the data. */
  function streamed(zip: Buffer, before: string, follows = true): Buffer {
    const next = zip.indexOf(SIGNATURES.local, 4);
    const stated = zip.subarray(14, 26);
    const descriptor = follows ? Buffer.concat([Buffer.from(before, 'latin1'), stated]) : Buffer.alloc(0);
    const longer = inserted(zip, next, descriptor, ['SC.xml', 'GL.xml']);
    return changed(longer, 'EQ.xml', 'local', (header) => {
      header.writeUInt16LE(header.readUInt16LE(6) | 8, 6);
      header.fill(0, 14, 22);
    });
  }

  describe('sizes and checksum that follow a member', () => {
    it('are accepted as in a piped zip, and rejected if they are missing or different', async () => {
      const whole = await gridArchive();
      const stray = ['archive:-: the archive has bytes that belong to no member'];
      expect(await reasons(streamed(whole, 'xx'))).toEqual(stray);
      expect(await reasons(streamed(whole, '', false))).toEqual(stray);
      for (const before of ['', 'PK\u0007\u0008']) {
        const handle = await open(await grid.folder.write('streamed.zip', streamed(whole, before)));
        expect(await openArchive(handle)).toMatchObject({ faults: [] });
        await handle.close();
      }
    });
  });

  describe('an archive is rejected whose directory', () => {
    let whole: Buffer;
    beforeAll(async () => {
      const forward = Array.from({ length: 2000 }, (_, index) => lineSegment(`L${index}`, `Line ${index}`)).join('');
      whole = await gridArchive({ EQ: differenceModelXml('EQ', { forward }) });
    });
    const named = (name: string) =>
      changed(whole, 'EQ.xml', 'directory', (header) => void header.write(name, 46, 'latin1'));

    it('contains a path outside its folder', async () => {
      for (const name of ['../E.x', '/EQ.xm', 'C:\\E.x', 'EQ\0xml'])
        expect(await reasons(named(name))).toEqual([
          `${name.replace('\0', '?')}:-: must not be in the archive: its members are EQ.xml, SC.xml and GL.xml`,
          'EQ.xml:-: is missing from the archive',
        ]);
    });

    it('contains another name than the local header of a member', async () => {
      const archive = changed(whole, 'EQ.xml', 'local', (header) => void header.write('../E.x', 30));
      expect(await reasons(archive)).toEqual(['EQ.xml:-: has a different name in its local header']);
    });

    it('states fewer bytes than the member has', async () => {
      const bomb = await zipOf([SC, GL, { name: 'EQ.xml', bytes: Buffer.alloc(4 * MIB, ' ') }] as TrialEntry[]);
      const archive = lying(bomb, 24, 1000);
      expect(await reasons(archive)).toContain('EQ.xml:-: is compressed beyond 200:1');
      const comment = `<!-- ${'x'.repeat(1000)} -->\n`.repeat(Math.ceil((64 * MIB) / 1000));
      const bytes = differenceModelXml('EQ').replace('</rdf:RDF>', `${comment}</rdf:RDF>`);
      const long = await zipOf([SC, GL, { name: 'EQ.xml', bytes, compress: false }] as TrialEntry[]);
      const endless = lying(long, 24, 1000);
      expect(await reasons(endless)).toEqual(['EQ.xml:-: has more than 64 MiB']);
      for (const field of [16, 24])
        expect(await reasons(lying(whole, field, 1000))).toEqual([
          'EQ.xml:-: is damaged: its size or checksum differs from the directory of the archive',
        ]);
    });

    it.each([
      ['a checksum that is not that of the member', 16, `EQ.xml:-: ${DIFFERENT_SIZES}`],
      ['an encrypted member', 8, 'EQ.xml:-: is encrypted'],
      ['another compression method', 10, 'EQ.xml:-: is compressed by method 9, not by deflate'],
      [
        'an offset without a member',
        42,
        /^EQ\.xml:-: has no readable header at the offset in the directory of the archive/,
      ],
    ])('has an entry with %s', async (_, offset, expected) => {
      const archive = changed(
        whole,
        'EQ.xml',
        'directory',
        (header) => void (header[offset] = (header[offset] as number) ^ 1),
      );
      expect(await reasons(archive)).toEqual([expected instanceof RegExp ? expect.stringMatching(expected) : expected]);
    });

    it('contains overlapping members', async () => {
      const stated = whole.readUInt32LE(whole.indexOf(SIGNATURES.local) + 18);
      const archive = lying(whole, 20, stated + 100);
      expect(await reasons(archive)).toEqual(['archive:-: members of the archive overlap']);
    });

    it.each([
      ['is encrypted', (header: Buffer) => void (header[6] = 1), 'is encrypted according to its local header'],
      ['has another checksum', (header: Buffer) => void header.writeUInt32LE(7, 14), DIFFERENT_SIZES],
      ['has another compressed size', (header: Buffer) => void header.writeUInt32LE(7, 18), DIFFERENT_SIZES],
      ['has another size', (header: Buffer) => void header.writeUInt32LE(7, 22), DIFFERENT_SIZES],
      ['has none of them, and none follows', (header: Buffer) => void header.fill(0, 14, 26), DIFFERENT_SIZES],
    ])('has a member that according to its local header %s', async (_, change, expected) => {
      expect(await reasons(changed(whole, 'EQ.xml', 'local', change))).toEqual([`EQ.xml:-: ${expected}`]);
    });

    it('does not cover all bytes: an unlisted member, or bytes before, between or after members', async () => {
      const stray = ['archive:-: the archive has bytes that belong to no member'];
      const hidden = Buffer.concat([whole.subarray(0, 30), Buffer.from('evil.exe'), Buffer.alloc(500, 'A')]);
      hidden.writeUInt16LE('evil.exe'.length, 26);
      const directory = whole.indexOf(SIGNATURES.directory);
      for (const bytes of [hidden, Buffer.from('x')])
        expect(await reasons(inserted(whole, directory, bytes))).toEqual(stray);
      const end = whole.lastIndexOf('PK\u0005\u0006');
      expect(await reasons(Buffer.concat([whole.subarray(0, end), hidden, whole.subarray(end)]))).toEqual(stray);
      const second = whole.indexOf(SIGNATURES.local, 4);
      expect(await reasons(inserted(whole, second, hidden, ['SC.xml', 'GL.xml']))).toEqual(stray);
      expect(await reasons(inserted(whole, 0, hidden, ['EQ.xml', 'SC.xml', 'GL.xml']))).toEqual(stray);
    });

    it('is sound, but whose data is damaged, truncated, not a zip, or too large', async () => {
      const damaged = Buffer.from(whole);
      damaged.fill(0xff, 200, 260);
      expect(await reasons(damaged)).toEqual([
        expect.stringMatching(/^EQ\.xml:-: (cannot be decompressed|is damaged)/),
      ]);
      for (const archive of [whole.subarray(0, -30), Buffer.from('no zip'), Buffer.alloc(0)])
        expect(await reasons(archive)).toEqual([
          expect.stringMatching(/^archive:-: the archive is not a complete zip file/),
        ]);
      const long = await grid.folder.write('long.zip', '');
      await truncate(long, 192 * MIB + 1);
      expect(await publishArchive(grid.parts, { ...TEST_KEY, accountId: null }, long)).toEqual({
        outcome: 'refused',
        faults: [{ file: null, line: null, message: 'the archive is larger than 192 MiB' }],
      });
    });
  });

  describe('a member is rejected', () => {
    const withDtd = (dtd: string, value = 'x') =>
      differenceModelXml('EQ', { description: value }).replace('<rdf:RDF', `<!DOCTYPE rdf:RDF ${dtd}>\n<rdf:RDF`);
    const laughs = Array.from(
      { length: 9 },
      (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
    ).join('');
    it.each([
      ['with a DTD', withDtd('SYSTEM "http://example.org/x.dtd"'), [/^EQ\.xml:2: a DTD is not allowed/]],
      [
        'with entities that expand',
        withDtd(`[<!ENTITY l0 "ha">${laughs}]`, '&l9;'),
        [/^EQ\.xml:2: a DTD is not allowed/],
      ],
      [
        'with an entity that is a file',
        withDtd('[<!ENTITY f SYSTEM "file:///etc/passwd">]', '&f;'),
        [/^EQ\.xml:2: a DTD/],
      ],
      [
        'with an unknown entity',
        differenceModelXml('EQ', { description: '&nbsp;' }),
        [/^EQ\.xml:\d+: not well formed/],
      ],
      ['of the profile of another', differenceModelXml('SC'), [/^EQ\.xml:\d+: .*profile/i]],
      [
        'that is a full model',
        differenceModelXml('EQ').replaceAll('dm:DifferenceModel', 'md:FullModel'),
        [/^EQ\.xml:\d+: /],
      ],
      ['that is empty', '', [/^EQ\.xml:/]],
      [
        'with a name too long for an index',
        differenceModelXml('EQ', { forward: `<cim:${'\u4e00'.repeat(400)} rdf:ID="_long"/>` }),
        [/^EQ\.xml:-: an identifier or a name has more than 1024 bytes/],
      ],
      [
        'with an mRID that a database could convert to lower case in another way',
        differenceModelXml('EQ', { forward: lineSegment('LEITUNG-Ä', 'Line') }),
        [/^EQ\.xml:\d+: an identifier has a character outside ASCII: LEITUNG-Ä/],
      ],
    ])('%s', async (_, xml, expected) => {
      const found = await reasons(await gridArchive({ EQ: xml }));
      expect(found).toEqual(expect.arrayContaining(expected.map((pattern) => expect.stringMatching(pattern))));
    });

    it('with all its faults, together with those of the other members', async () => {
      const twice = lineSegment('A', 'One') + lineSegment('A', 'Two');
      const archive = await zipOf([
        { name: 'EQ.xml', bytes: differenceModelXml('EQ', { forward: twice }) },
        { name: 'SC.xml', bytes: differenceModelXml('EQ') },
        { name: 'notes.txt', bytes: '' },
      ]);
      const found = await reasons(archive);
      expect(found).toEqual([
        'notes.txt:-: must not be in the archive: its members are EQ.xml, SC.xml and GL.xml',
        'GL.xml:-: is missing from the archive',
        expect.stringMatching(/^EQ\.xml:\d+: .*A occurs twice/),
        expect.stringMatching(/^SC\.xml:\d+: .*profile/i),
      ]);
    });
  });

  describe('rejected archives', () => {
    it('leave nothing in the database', async () => {
      expect(await grid.rows()).toEqual({});
    });
  });

  describe('An archive that is uploaded', () => {
    let uploads: Uploads;
    /** Uploads of another process. */
    let others: Uploads;
    const PLACES = 3;
    const ACCOUNT = { accountId: 'acc_1', tokenSeries: null };
    /** Publication key of the test. */
    let key: typeof TEST_KEY;
    let projects = 0;
    beforeEach(() => {
      key = { ...TEST_KEY, projectId: `U${++projects}` };
      const repository = new UploadRepository(grid.database);
      [uploads, others] = [0, 1].map(() =>
        uploadsOf({ ...grid.parts, uploads: repository, queue: publicationQueue(PLACES), key: grid.key }),
      ) as [Uploads, Uploads];
    });
    afterEach(() => grid.owner.query('select register.set_clock_offset(0)'));

    const prepare = async () => (await uploads.prepare(key, ACCOUNT)).address;
    const send = (address: string, archive: Buffer, to = uploads): Promise<UploadOutcome> =>
      to.publishAt(address, Readable.from([archive.subarray(0, 100), archive.subarray(100)]));

    /** The versions of the project of the test. */
    const published = async () =>
      (
        await grid.owner.query(
          `select version, account_id as "accountId" from project_version join development_project p on p.id = project
       where p.project_id = $1 order by version`,
          [key.projectId],
        )
      ).rows as unknown[];

    describe('an upload address', () => {
      it('accepts one archive within ten minutes, by the clock of the register', async () => {
        const { address, expiresAt } = await uploads.prepare(key, ACCOUNT);
        expect(address).toMatch(/^\/grid-modelling\/uploads\/[\w-]{43}$/);
        expect(Math.abs(expiresAt.getTime() - Date.now() - 600_000)).toBeLessThan(10_000);
        expect(await send(address, await gridArchive())).toMatchObject({
          ...{ outcome: 'published', isNew: true },
          version: { ...key, version: 1 },
        });
        expect(await published()).toEqual([{ version: 1, accountId: 'acc_1' }]);
      });

      it('is not stored, only its hash', async () => {
        const token = (await prepare()).slice(-43);
        const { rows } = await grid.owner.query<{ stored: string }>('select upload::text as stored from upload');
        const all = rows.map(({ stored }) => stored).join();
        expect(rows.length).toBeGreaterThan(0);
        expect(all).not.toContain(token);
        expect(all).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
      });

      it('returns the published version for the same archive, and rejects any other', async () => {
        const [address, archive] = [await prepare(), await gridArchive()];
        await send(address, archive);
        expect(await send(address, archive)).toMatchObject({
          outcome: 'published',
          isNew: false,
          version: { version: 1 },
        });
        expect(await send(address, await gridArchive())).toEqual({ outcome: 'gone' });
        expect(await published()).toHaveLength(1);
      });

      it('accepts a corrected archive after a rejected one', async () => {
        const address = await prepare();
        const before = await grid.rows();
        expect(await send(address, Buffer.from('no zip'))).toMatchObject({ outcome: 'refused' });
        expect(await grid.rows()).toEqual(before);
        expect(await send(address, await gridArchive())).toMatchObject({ outcome: 'published', isNew: true });
      });

      it('publishes one of two archives that two processes receive concurrently', async () => {
        const address = await prepare();
        const archives = await Promise.all([gridArchive(), gridArchive()]);
        const outcomes = await Promise.all(
          archives.map((archive, index) => send(address, archive, [uploads, others][index])),
        );
        expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['gone', 'published']);
        expect(await published()).toEqual([{ version: 1, accountId: 'acc_1' }]);
      });

      it('is also used up by an archive that repeats the newest version', async () => {
        const archive = await gridArchive();
        await grid.published(archive, key);
        const address = await prepare();
        expect(await send(address, archive)).toMatchObject({
          outcome: 'published',
          isNew: false,
          version: { version: 1 },
        });
        expect(await send(address, await gridArchive())).toEqual({ outcome: 'gone' });
      });

      it('is gone if it is expired or unknown', async () => {
        const address = await prepare();
        const before = await grid.rows();
        await grid.owner.query('select register.set_clock_offset(601)');
        expect(await send(address, await gridArchive())).toEqual({ outcome: 'gone' });
        const other = `/grid-modelling/uploads/${'A'.repeat(43)}`;
        for (const none of [other, `${address}x`, address.slice(0, -1), '/grid-modelling/uploads/'])
          expect(await send(none, await gridArchive())).toEqual({ outcome: 'gone' });
        expect(await grid.rows()).toEqual(before);
      });

      it('is deleted a day after it has expired, and returns its version until then', async () => {
        const [address, archive] = [await prepare(), await gridArchive()];
        await send(address, archive);
        const repository = new UploadRepository(grid.database);
        await grid.owner.query('select register.set_clock_offset(93000)');
        await repository.purgeExpired();
        expect(await send(address, archive)).toMatchObject({ outcome: 'published', isNew: false });
        await grid.owner.query('select register.set_clock_offset(94000)');
        await repository.purgeExpired();
        expect(await send(address, archive)).toEqual({ outcome: 'gone' });
      });
    });

    describe('an archive that is sent', () => {
      it('does not block other addresses, however many uploads to its address stall', async () => {
        const [address, another] = [await prepare(), await prepare()];
        const stalled = Array.from({ length: PLACES + 1 }, () => new Readable({ read: () => undefined }));
        const outcomes = stalled.map((stream) => uploads.publishAt(address, stream).catch(String));
        for (const outcome of await firstOf(outcomes, PLACES)) expect(outcome).toEqual({ outcome: 'busy' });
        expect(await send(another, await gridArchive())).toMatchObject({ outcome: 'published' });
        for (const stream of stalled) stream.destroy(new Error('connection reset'));
        expect(await Promise.all(outcomes)).toContain('Error: connection reset');
        expect(await send(address, await gridArchive())).toMatchObject({ outcome: 'published' });
      });

      /** The outcomes of the uploads that end first. */
      function firstOf<Result>(promises: readonly Promise<Result>[], count: number): Promise<Result[]> {
        const results: Result[] = [];
        return new Promise((resolve) => {
          for (const promise of promises)
            void promise.then((result) => results.push(result) === count && resolve(results));
        });
      }

      it('is rejected as soon as it is too large, and its stream stays open for the response', async () => {
        const address = await prepare();
        const before = await grid.rows();
        let sent = 0;
        const endless = Readable.from(
          (function* () {
            for (;;) {
              sent += 1;
              yield Buffer.alloc(1024 * 1024);
            }
          })(),
        );
        expect(await uploads.publishAt(address, endless)).toEqual({
          outcome: 'too-large',
          maxBytes: 192 * 1024 * 1024,
        });
        expect(sent).toBeLessThan(230);
        expect(endless.destroyed).toBe(false);
        endless.destroy();
        expect(await grid.rows()).toEqual(before);
      });

      it('is received while the maximum number of requests to unknown addresses is under way', async () => {
        const address = await prepare();
        const lock = await heldBy(grid.owner, 'lock table upload in access exclusive mode', []);
        const unknown = Array.from(
          { length: PLACES },
          (_, index) => `/grid-modelling/uploads/${String(index).repeat(43)}`,
        );
        const zip = await gridArchive();
        const outcomes = [...unknown, address].map((each) => send(each, zip));
        await lock.isWaitedFor();
        await lock.release();
        expect((await Promise.all(outcomes)).map(({ outcome }) => outcome)).toEqual([
          ...unknown.map(() => 'gone'),
          'published',
        ]);
      });

      it('is rejected as busy while the maximum number of uploads is running, and accepted after one of them is aborted', async () => {
        const address = await prepare();
        const addresses = await Promise.all(Array.from({ length: PLACES }, prepare));
        const waiting: Readable[] = [];
        const taken: Promise<UploadOutcome>[] = [];
        for (const each of addresses)
          await new Promise<void>((resolve) => {
            const stream = new Readable({ read: () => resolve() });
            waiting.push(stream);
            taken.push(uploads.publishAt(each, stream));
          });
        expect(await send(address, await gridArchive())).toEqual({ outcome: 'busy' });
        waiting[0]?.destroy(new Error('connection reset'));
        await expect(taken[0]).rejects.toThrow('connection reset');
        expect(await send(address, await gridArchive())).toMatchObject({ outcome: 'published' });
        for (const stream of waiting) stream.push(null);
        expect((await Promise.all(taken.slice(1))).map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
      });
    });

    /** Returns a logger and the lines that it writes. */
    function recordingLogger() {
      const lines: string[] = [];
      return { lines, logger: pino({}, { write: (line: string) => void lines.push(line) }) };
    }

    describe('the files of grid-models', () => {
      it('are unavailable (SYS002) without the database; an aborted upload throws its own error', async () => {
        const { logger, lines } = recordingLogger();
        const contents = contentStore(grid.parts.contents, grid.key);
        const files = gridFiles(contents, uploads, logger);
        const [address, content] = [await prepare(), contents.address({ content: 1, sha256: '0'.repeat(64) })];
        const reset = new Error('read ECONNRESET');
        Object.assign(reset, { code: 'ECONNRESET' });
        const broken = new Readable({ read: () => undefined }).destroy(reset);
        await expect(files.publishAt(address, broken)).rejects.toBe(reset);
        await grid.owner.query('alter table upload rename to away');
        await expect(files.publishAt(address, Readable.from(['zip']))).rejects.toMatchObject({ code: '42P01' });
        await grid.owner.query('alter table away rename to upload');
        const connectionString = 'postgres://127.0.0.1:1/none';
        const [away, reads] = [new Pool({ connectionString }), new ShortReads({ connectionString })];
        const nowhere = {
          ...grid.parts,
          uploads: new UploadRepository({ pool: away, reads }),
          queue: publicationQueue(1),
          key: grid.key,
        };
        const without = gridFiles(contentStore(new ContentRepository(away), grid.key), uploadsOf(nowhere), logger);
        await expect(without.publishAt(address, Readable.from(['zip']))).rejects.toMatchObject({ code: 'SYS002' });
        await expect(without.open(content)).rejects.toMatchObject({ code: 'SYS002' });
        await Promise.all([away.end(), reads.close()]);
        expect(lines).toHaveLength(1); // the same fault again is counted
      });

      it('are unavailable (SYS002) without the folder for temporary files, which is logged', async () => {
        const { logger, lines } = recordingLogger();
        const files = gridFiles(contentStore(grid.parts.contents, grid.key), uploads, logger);
        const address = await prepare();
        const folder = jest.spyOn(os, 'tmpdir').mockReturnValue(join(grid.folder.path, 'absent'));
        await expect(files.publishAt(address, Readable.from(['zip']))).rejects.toMatchObject({ code: 'SYS002' });
        folder.mockRestore();
        expect(lines.join()).toContain('TemporaryFolderError');
      });
    });
  });
}
