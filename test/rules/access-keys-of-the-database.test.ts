import { newKey } from '../../process/keys';
import { openAccounts } from '../../subgraphs/access/access';
import { type FreshDatabase, freshDatabase } from '../support/postgres';

describe('The keys of a database', () => {
  let database: FreshDatabase;
  const keys = { hashKey: newKey(), encryptionKey: newKey() };

  beforeAll(async () => {
    database = await freshDatabase();
    const { accounts, close } = await openAccounts(database.url, keys, true);
    await accounts.onboard('operator', { role: 'admin', displayName: 'The first admin' });
    await close();
  });
  afterAll(() => database.drop());

  it('open it again', async () => {
    const { accounts, close } = await openAccounts(database.url, keys, true);
    expect((await accounts.accounts(10, null))[1]).toBe(1);
    await close();
  });

  it.each([
    ['ACCESS_HASH_KEY', { ...keys, hashKey: newKey() }],
    ['ACCESS_ENCRYPTION_KEY', { ...keys, encryptionKey: newKey() }],
  ])('are told apart from others: a start with another %s is refused by its name', async (variable, others) => {
    await expect(openAccounts(database.url, others, true)).rejects.toThrow(`${variable}: not of this database`);
  });

  it('are not lost by a start with others', async () => {
    await openAccounts(database.url, { hashKey: newKey(), encryptionKey: newKey() }, true).catch(() => undefined);
    const { accounts, close } = await openAccounts(database.url, keys, true);
    expect((await accounts.accounts(10, null))[1]).toBe(1);
    await close();
  });
});
