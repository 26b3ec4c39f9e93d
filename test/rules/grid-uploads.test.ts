import os from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Pool } from 'pg';
import pino from 'pino';
import { contentStore } from '../../subgraphs/grid-models/content-store';
import { UploadRepository } from '../../subgraphs/grid-models/database/upload.repository';
import { ContentRepository } from '../../subgraphs/grid-models/database/content.repository';
import { gridFiles } from '../../subgraphs/grid-models/files';
import { publishingTurns } from '../../subgraphs/grid-models/publishing/publishing-turns';
import { type UploadOutcome, type Uploads, uploadsOf } from '../../subgraphs/grid-models/publishing/uploads';
import { gridArchive } from '../support/grid-archives';
import { type GridDatabase, TRIAL_PLACE, gridDatabase } from '../support/grid-database';

let grid: GridDatabase;
let uploads: Uploads;
/** Those of another process. */
let others: Uploads;
const PLACES = 3;
beforeEach(async () => {
  grid = await gridDatabase();
  const repository = new UploadRepository(grid.database.pool);
  [uploads, others] = [0, 1].map(() =>
    uploadsOf({ ...grid.parts, uploads: repository, turns: publishingTurns(PLACES), key: grid.key }),
  ) as [Uploads, Uploads];
});
afterEach(() => grid?.close());

const prepare = async () => (await uploads.prepare(TRIAL_PLACE, 'acc_1')).address;
const send = (address: string, archive: Buffer, to = uploads): Promise<UploadOutcome> =>
  to.publishAt(address, Readable.from([archive.subarray(0, 100), archive.subarray(100)]));

describe('an upload address', () => {
  it('takes one archive within ten minutes of the one clock', async () => {
    const { address, expiresAt } = await uploads.prepare(TRIAL_PLACE, 'acc_1');
    expect(address).toMatch(/^\/grid-modelling\/uploads\/[\w-]{43}$/);
    expect(Math.abs(expiresAt.getTime() - Date.now() - 600_000)).toBeLessThan(10_000);
    expect(await send(address, await gridArchive())).toMatchObject({
      ...{ outcome: 'published', isNew: true },
      version: { ...TRIAL_PLACE, version: 1 },
    });
    const { rows } = await grid.owner.query('select account_id from project_version');
    expect(rows).toEqual([{ account_id: 'acc_1' }]);
  });

  it('is not kept, only its hash is', async () => {
    const token = (await prepare()).slice(-43);
    const { rows } = await grid.owner.query<{ stored: string }>('select upload::text as stored from upload');
    expect(rows[0]?.stored).not.toContain(token);
    expect(rows[0]?.stored).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
  });

  it('answers the same archive again by what it published, and no other', async () => {
    const [address, archive] = [await prepare(), await gridArchive()];
    await send(address, archive);
    expect(await send(address, archive)).toMatchObject({ outcome: 'published', isNew: false, version: { version: 1 } });
    expect(await send(address, await gridArchive())).toEqual({ outcome: 'gone' });
    expect(await grid.rows()).toMatchObject({ project_version: 1 });
  });

  it('takes a mended archive after one that was refused', async () => {
    const address = await prepare();
    expect(await send(address, Buffer.from('no zip'))).toMatchObject({ outcome: 'refused' });
    expect(await grid.rows()).toEqual({ upload: 1 });
    expect(await send(address, await gridArchive())).toMatchObject({ outcome: 'published', isNew: true });
  });

  it('publishes one of two archives that come at once to two processes', async () => {
    const address = await prepare();
    const archives = await Promise.all([gridArchive(), gridArchive()]);
    const outcomes = await Promise.all(
      archives.map((archive, index) => send(address, archive, [uploads, others][index])),
    );
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['gone', 'published']);
    expect((await grid.owner.query('select version from project_version')).rows).toEqual([{ version: 1 }]);
  });

  it('is used, too, by an archive that repeats the newest version', async () => {
    const archive = await gridArchive();
    await grid.published(archive);
    const address = await prepare();
    expect(await send(address, archive)).toMatchObject({ outcome: 'published', isNew: false, version: { version: 1 } });
    expect(await send(address, await gridArchive())).toEqual({ outcome: 'gone' });
  });

  it('is gone when it has expired, or is none', async () => {
    const address = await prepare();
    await grid.owner.query('select register.set_clock_offset(601)');
    expect(await send(address, await gridArchive())).toEqual({ outcome: 'gone' });
    const other = `/grid-modelling/uploads/${'A'.repeat(43)}`;
    for (const none of [other, `${address}x`, address.slice(0, -1), '/grid-modelling/uploads/'])
      expect(await send(none, await gridArchive())).toEqual({ outcome: 'gone' });
    expect(await grid.rows()).toEqual({ upload: 1 });
  });

  it('is forgotten a day after it is over, and answers its repeat until then', async () => {
    const [address, archive] = [await prepare(), await gridArchive()];
    await send(address, archive);
    const repository = new UploadRepository(grid.database.pool);
    await grid.owner.query('select register.set_clock_offset(80000)');
    await repository.forget();
    expect(await send(address, archive)).toMatchObject({ outcome: 'published', isNew: false });
    await grid.owner.query('select register.set_clock_offset(90000)');
    await repository.forget();
    expect(await send(address, archive)).toEqual({ outcome: 'gone' });
  });
});

describe('an archive that is sent', () => {
  it('keeps nobody out who sends to another address, however many come to one and stall', async () => {
    const [address, another] = [await prepare(), await prepare()];
    const stalled = Array.from({ length: PLACES + 1 }, () => new Readable({ read: () => undefined }));
    const outcomes = stalled.map((stream) => uploads.publishAt(address, stream).catch(String));
    for (const outcome of await firstOf(outcomes, PLACES)) expect(outcome).toEqual({ outcome: 'busy' });
    expect(await send(another, await gridArchive())).toMatchObject({ outcome: 'published' });
    for (const stream of stalled) stream.destroy(new Error('connection reset'));
    expect(await Promise.all(outcomes)).toContain('Error: connection reset');
    expect(await send(address, await gridArchive())).toMatchObject({ outcome: 'published' });
  });

  /** The results of those that end first. */
  function firstOf<Result>(promises: readonly Promise<Result>[], count: number): Promise<Result[]> {
    const results: Result[] = [];
    return new Promise((resolve) => {
      for (const promise of promises) void promise.then((result) => results.push(result) === count && resolve(results));
    });
  }

  it('is given up as soon as it is too long, and its stream left to be answered', async () => {
    const address = await prepare();
    let sent = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          sent += 1;
          yield Buffer.alloc(1024 * 1024);
        }
      })(),
    );
    expect(await uploads.publishAt(address, endless)).toEqual({ outcome: 'too-large' });
    expect(sent).toBeLessThan(230);
    expect(endless.destroyed).toBe(false);
    endless.destroy();
    expect(await grid.rows()).toEqual({ upload: 1 });
  });

  it('is told to come later when others fill all places, and takes the place of one who breaks off', async () => {
    const address = await prepare();
    const addresses = await Promise.all(Array.from({ length: PLACES }, prepare));
    const waiting = addresses.map(() => new Readable({ read: () => undefined }));
    const taken = waiting.map((stream, index) => uploads.publishAt(addresses[index] as string, stream));
    expect(await send(address, await gridArchive())).toEqual({ outcome: 'busy' });
    waiting[0]?.destroy(new Error('connection reset'));
    await expect(taken[0]).rejects.toThrow('connection reset');
    expect(await send(address, await gridArchive())).toMatchObject({ outcome: 'published' });
    for (const stream of waiting) stream.push(null);
    expect((await Promise.all(taken.slice(1))).map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
  });
});

/** A logger, and the lines that it has written. */
function recordingLogger() {
  const lines: string[] = [];
  return { lines, logger: pino({}, { write: (line: string) => void lines.push(line) }) };
}

describe('the files of grid-models', () => {
  it('are unavailable (SYS002) without the database, and tell whoever sends that it was broken off', async () => {
    const { logger, lines } = recordingLogger();
    const contents = contentStore(grid.parts.contents, grid.key);
    const files = gridFiles(contents, uploads, logger);
    const [address, content] = [await prepare(), contents.address(1)];
    const reset = new Error('read ECONNRESET');
    Object.assign(reset, { code: 'ECONNRESET' });
    const broken = new Readable({ read: () => undefined }).destroy(reset);
    await expect(files.publishAt(address, broken)).rejects.toBe(reset);
    await grid.owner.query('alter table upload rename to away');
    await expect(files.publishAt(address, Readable.from(['zip']))).rejects.toMatchObject({ code: '42P01' });
    const away = new Pool({ connectionString: 'postgres://127.0.0.1:1/none' });
    const nowhere = { ...grid.parts, uploads: new UploadRepository(away), turns: publishingTurns(1), key: grid.key };
    const without = gridFiles(contentStore(new ContentRepository(away), grid.key), uploadsOf(nowhere), logger);
    await expect(without.publishAt(address, Readable.from(['zip']))).rejects.toMatchObject({ code: 'SYS002' });
    await expect(without.open(content)).rejects.toMatchObject({ code: 'SYS002' });
    await away.end();
    expect(lines).toHaveLength(2);
  });

  it('are unavailable when the folder for temporary files is, and say so', async () => {
    const { logger, lines } = recordingLogger();
    const files = gridFiles(contentStore(grid.parts.contents, grid.key), uploads, logger);
    const address = await prepare();
    const folder = jest.spyOn(os, 'tmpdir').mockReturnValue(join(grid.folder.path, 'absent'));
    await expect(files.publishAt(address, Readable.from(['zip']))).rejects.toMatchObject({ code: 'SYS002' });
    folder.mockRestore();
    expect(lines.join()).toContain('TemporaryFolderError');
  });
});
