import { Client } from 'pg';
import { newKeyVariables } from '../../sandbox/keys';
import { type FreshDatabase, freshDatabase } from '../support/postgres';
import { startTestRegister } from '../support/register';

const DAY = 86_400;

describe('The clock of a register', () => {
  let database: FreshDatabase;
  let keys: Record<string, string>;
  beforeAll(async () => {
    database = await freshDatabase();
    keys = await newKeyVariables();
  });
  afterAll(() => database.drop());

  /** Seconds by which the clock is ahead while a register runs that was started so. */
  async function offsetOf(environment: Record<string, string>): Promise<number> {
    const register = await startTestRegister('one process', {
      databaseUrl: database.url,
      environment: { ...keys, ...environment },
    });
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows } = await client.query(
        'select extract(epoch from register.register_now() - statement_timestamp())::int as ahead',
      );
      return (rows[0] as { ahead: number }).ahead;
    } finally {
      await client.end();
      await register.close();
    }
  }

  it('is moved by CLOCK_OFFSET_SECONDS, and goes right again after a start without it', async () => {
    expect(await offsetOf({ CLOCK_OFFSET_SECONDS: String(DAY) })).toBe(DAY);
    expect(await offsetOf({})).toBe(0);
  });
});
