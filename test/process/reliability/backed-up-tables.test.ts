import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { backupsOf } from '../../../commands/backup/backup-folder';
import { takeBackup } from '../../../commands/backup/take-backup';
import { sandboxKeyVariables } from '../../../sandbox/keys';
import { ADVISORY_LOCKS } from '../../../subgraphs/server/database/advisory-locks';
import { rowsOf } from '../../support/backup-fixture';
import { partitionByHash } from '../../support/hash-partitions';
import { runOperatorCommand } from '../../support/operator-command';
import { freshDatabase } from '../../support/postgres';
import { type Place, placeOf } from '../../support/register';
import { differences, tableContents } from '../../support/table-contents';
import { silencedProxy } from '../../support/silenced-proxy';
import { until } from '../../support/until';
import { OF_THIS_DATABASE } from '../../support/lock-waiters';

jest.setTimeout(180_000);

describe('A backup of a register', () => {
  let place: Place;
  let owner: Client;
  let root: string;
  beforeEach(async () => {
    place = await placeOf();
    root = await mkdtemp(join(tmpdir(), 'register-backup-'));
    owner = new Client({ connectionString: place.databaseUrl });
    await owner.connect();
  });
  afterEach(async () => {
    await owner.end();
    await place.remove();
    await rm(root, { recursive: true, force: true });
  });

  /** Takes a backup; returns the number of rows of each table in it. */
  async function backedUpRows(databaseUrl = place.databaseUrl): Promise<Record<string, number>> {
    await takeBackup(databaseUrl, root, 7);
    const newest = [(await backupsOf(root, 'register'))[0], (await backupsOf(root, 'data-keys'))[0]];
    const tables = newest.flatMap((backup) => backup?.manifest.tables ?? []);
    return Object.fromEntries(tables.map(({ schema, table, rows }) => [`${schema}.${table}`, rows]));
  }

  async function contentsOf(connectionString: string) {
    const pool = new Pool({ connectionString });
    return tableContents(pool).finally(() => pool.end());
  }

  it('with partitioned tables is restored into tables without partitions, with the same rows', async () => {
    const target = await freshDatabase();
    try {
      const before = await contentsOf(place.databaseUrl);
      const rows = await backedUpRows();
      expect(rows['access.access_record']).toBeGreaterThan(0);
      await partitionByHash(owner, ['access.access_record_version', 'access.look', 'access_keys.reference_key']);
      await partitionByHash(owner, ['access.access_record']); // a table that is newer than those that refer to it
      expect(await backedUpRows()).toEqual(rows);

      const environment = { ...sandboxKeyVariables(place.dataDir), DATABASE_URL: target.url };
      const restored = await runOperatorCommand('commands/backup/backup', ['restore', root], environment).ended;
      expect(restored).toMatchObject({ code: 0 });
      const changed = differences(before, await contentsOf(target.url));
      expect(changed.filter((name) => name in rows)).toEqual([]);
    } finally {
      await target.drop();
    }
  });

  it('contains all rows of a table that is to be rewritten meanwhile, and delays no start with the login of the owner', async () => {
    const { rows } = await owner.query<{ count: number }>('select count(*)::int from identity.identity_record');
    const proxy = await silencedProxy(place.databaseUrl, 'copy (select');
    const backup = backedUpRows(proxy.url);
    await until(() => proxy.withheld() === 1 || undefined); // the backup has its snapshot then
    const start = await owner.query('select pg_try_advisory_lock($1) as "isPossible"', [ADVISORY_LOCKS.migration]);
    const rewriting = rowsOf(
      place.databaseUrl,
      'alter table identity.identity_record add rewritten uuid default gen_random_uuid()',
    );
    await Promise.race([rewriting, waitsFor('relation')]);
    proxy.release();
    expect((await backup)['identity.identity_record']).toBe(rows[0]?.count);
    expect(start.rows).toEqual([{ isPossible: true }]);
    await rewriting;
    await proxy.close();
  });

  it('does not begin while migrations run', async () => {
    await owner.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    const backup = backedUpRows();
    const first = [backup.then(() => 'it was taken'), waitsFor('advisory').then(() => 'it waits')];
    expect(await Promise.race(first)).toBe('it waits');
    await owner.query('create table access.added_by_migration as select 1 as number');
    await owner.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.migration]);
    expect(await backup).toMatchObject({ 'access.added_by_migration': 1 });
  });

  /** Resolves when a session of the database waits for a lock of a type. */
  const waitsFor = (type: 'advisory' | 'relation') =>
    until(async () => {
      const waiting = `select from pg_locks where not granted and locktype = $1
        and ${OF_THIS_DATABASE}`;
      return (await owner.query(waiting, [type])).rowCount || undefined;
    });
});
