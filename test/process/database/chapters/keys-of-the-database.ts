import { newKey } from '../../../../process/settings/keys';
import { type AccessKeys, openAccounts } from '../../../../subgraphs/access/access.module';
import { databaseAddress } from '../../../../subgraphs/server/database/database-login';
import { Client } from 'pg';
import { type FreshDatabase, freshDatabase, testPostgres } from '../../../support/postgres';

const openWith = (url: string, keys: AccessKeys) => openAccounts(databaseAddress(url, 'access', keys.hashKey), keys);

export function keysOfTheDatabase(): void {
  describe('The keys of a database', () => {
    let database: FreshDatabase;
    const keys = { hashKey: newKey(), encryptionKey: newKey() };

    beforeAll(async () => {
      database = await freshDatabase();
      const { accounts, close } = await openWith(database.url, keys);
      await accounts.onboard('operator', { role: 'admin', displayName: 'The first admin' });
      await close();
    });
    afterAll(() => database.drop());

    it('open the database again', async () => {
      const { accounts, close } = await openWith(database.url, keys);
      expect(await accounts.count()).toBe(1);
      await close();
    });

    it.each([
      ['ACCESS_HASH_KEY', { ...keys, hashKey: newKey() }],
      ['ACCESS_ENCRYPTION_KEY', { ...keys, encryptionKey: newKey() }],
    ])(
      'must be the original ones: a start with another %s fails and names the variable',
      async (variable, otherKeys) => {
        await expect(openWith(database.url, otherKeys)).rejects.toThrow(`${variable}: not the key`);
      },
    );

    it('still open the database after a start with other keys', async () => {
      await expect(openWith(database.url, { hashKey: newKey(), encryptionKey: newKey() })).rejects.toThrow(
        'not the key',
      );
      const { accounts, close } = await openWith(database.url, keys);
      expect(await accounts.count()).toBe(1);
      await close();
    });

    it('also open a copy of the database under another name, as after a restore', async () => {
      const copy = `copy_${new URL(database.url).pathname.slice(1)}`;
      const server = new Client({ connectionString: (await testPostgres()).url });
      await server.connect();
      await server.query(`create database ${copy} template ${new URL(database.url).pathname.slice(1)}`);
      const url = new URL(database.url);
      url.pathname = `/${copy}`;
      const { accounts, close } = await openWith(url.href, keys);
      expect(await accounts.count()).toBe(1);
      await close();
      await server.query(`drop database ${copy} with (force)`);
      await server.end();
    });
  });
}
