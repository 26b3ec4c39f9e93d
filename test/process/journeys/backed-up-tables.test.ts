import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { backupsOf } from '../../../commands/backup/backup-folder';
import { takeBackup } from '../../../commands/backup/take-backup';
import { sandboxKeyVariables } from '../../../sandbox/keys';
import { partitionByHash } from '../../support/hash-partitions';
import { runOperatorCommand } from '../../support/operator-command';
import { freshDatabase } from '../../support/postgres';
import { type Place, placeOf } from '../../support/register';
import { differences, tableContents } from '../../support/table-contents';

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
  async function backedUpRows(): Promise<Record<string, number>> {
    await takeBackup(place.databaseUrl, root, 7);
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

      const environment = { ...(await sandboxKeyVariables(place.dataDir)), DATABASE_URL: target.url };
      const restored = await runOperatorCommand('commands/backup/backup', ['restore', root], environment).ended;
      expect(restored).toMatchObject({ code: 0 });
      const changed = differences(before, await contentsOf(target.url));
      expect(changed.filter((name) => name in rows)).toEqual([]);
    } finally {
      await target.drop();
    }
  });
});
