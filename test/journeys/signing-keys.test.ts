import { decodeProtectedHeader } from 'jose';
import { newKeyVariables } from '../../sandbox/keys';
import { signIn } from '../support/administration';
import { graphOf } from '../support/graph';
import { freshDatabase } from '../support/postgres';
import { type TestRegister, startTestRegister } from '../support/register';
import { accountOf } from '../support/rest-client';

async function signingKey(): Promise<{ kid: string }> {
  const { TOKEN_SIGNING_KEYS } = await newKeyVariables();
  return (JSON.parse(TOKEN_SIGNING_KEYS as string) as { keys: [{ kid: string }] }).keys[0];
}

describe('A signing key is replaced', () => {
  const ISSUER = { BASE_URL: 'http://localhost:4001/v1' };

  it('by putting the new one first: tokens of the old one are let in until it is taken away', async () => {
    const database = await freshDatabase();
    const keysOfAll = await newKeyVariables();
    const [older, newer] = [await signingKey(), await signingKey()];
    const during = async <Result>(keys: object[], work: (register: TestRegister) => Promise<Result>) => {
      const environment = { ...keysOfAll, ...ISSUER, TOKEN_SIGNING_KEYS: JSON.stringify({ keys }) };
      const register = await startTestRegister('one process', { databaseUrl: database.url, environment });
      try {
        return await work(register);
      } finally {
        await register.close();
      }
    };
    const tokenIn = async (register: TestRegister) => {
      const { account_id: id, secret_key: secret } = accountOf(register.sandbox, 'analyst');
      return (await signIn(register, id, secret)).token;
    };
    const statusOf = async (register: TestRegister, token: string) =>
      (await graphOf(register, token)('{ viewer { accountId } }')).status;

    const old = await during([older], tokenIn);
    expect(decodeProtectedHeader(old).kid).toBe(older.kid);
    await during([newer, older], async (register) => {
      const token = await tokenIn(register);
      expect(decodeProtectedHeader(token).kid).toBe(newer.kid);
      expect([await statusOf(register, token), await statusOf(register, old)]).toEqual([200, 200]);
      const keySet = (await (await fetch(`${register.rest}/.well-known/jwks.json`)).json()) as {
        keys: { kid: string }[];
      };
      expect(keySet.keys.map(({ kid }) => kid)).toEqual([newer.kid, older.kid]);
      expect(JSON.stringify(keySet)).not.toContain('"d"');
    });
    await during([newer], async (register) => expect(await statusOf(register, old)).toBe(401));
    await database.drop();
  }, 60_000);
});
