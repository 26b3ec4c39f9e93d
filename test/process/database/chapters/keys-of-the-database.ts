import { newKey } from '../../../../process/keys';
import { openAccounts } from '../../../../subgraphs/access/access';
import { Client } from 'pg';
import { type FreshDatabase, freshDatabase, testPostgres } from '../../../support/postgres';

export function keysOfTheDatabase(): void {
  describe('The keys of a database', () => {
    let database: FreshDatabase;
    const keys = { hashKey: newKey(), encryptionKey: newKey() };

    beforeAll(async () => {
      database = await freshDatabase();
      const { accounts, close } = await openAccounts(database.url, keys);
      await accounts.onboard('operator', { role: 'admin', displayName: 'The first admin' });
      await close();
    });
    afterAll(() => database.drop());

    it('open it again', async () => {
      const { accounts, close } = await openAccounts(database.url, keys);
      expect((await accounts.accounts(10, null))[1]).toBe(1);
      await close();
    });

    it.each([
      ['ACCESS_HASH_KEY', { ...keys, hashKey: newKey() }],
      ['ACCESS_ENCRYPTION_KEY', { ...keys, encryptionKey: newKey() }],
    ])('are told apart from others: a start with another %s is refused by its name', async (variable, others) => {
      await expect(openAccounts(database.url, others)).rejects.toThrow(`${variable}: not of this database`);
    });

    it('are not lost by a start with others', async () => {
      await openAccounts(database.url, { hashKey: newKey(), encryptionKey: newKey() }).catch(() => undefined);
      const { accounts, close } = await openAccounts(database.url, keys);
      expect((await accounts.accounts(10, null))[1]).toBe(1);
      await close();
    });

    it('open it under another name, too, as a restore may give it', async () => {
      const copy = `copy_${new URL(database.url).pathname.slice(1)}`;
      const server = new Client({ connectionString: (await testPostgres()).url });
      await server.connect();
      await server.query(`create database ${copy} template ${new URL(database.url).pathname.slice(1)}`);
      const url = new URL(database.url);
      url.pathname = `/${copy}`;
      const { accounts, close } = await openAccounts(url.href, keys);
      expect((await accounts.accounts(10, null))[1]).toBe(1);
      await close();
      await server.query(`drop database ${copy} with (force)`);
      await server.end();
    });
  });
}
