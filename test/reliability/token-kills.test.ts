import { randomInt } from 'node:crypto';
import { Client } from 'pg';
import { readSettings } from '../../process/settings';
import type { DemoData } from '../../sandbox/demo-data';
import { sandboxKeyVariables } from '../../sandbox/keys';
import { keyedHash } from '../../subgraphs/server/keyed-hash';
import { codeOf, confirmedTokens, inTurns, recordWithToken } from '../support/confirmed-tokens';
import { type Customer, type DataUser, newCustomer, newDataUser } from '../support/customers';
import {
  type Place,
  type RegisterProcess,
  type TestRegister,
  freePort,
  placeOf,
  sandboxOf,
  startRegisterProcess,
} from '../support/register';
import { until } from '../support/until';

const IS_LONG = process.env['TEST_LONG'] !== undefined;
const TOKENS = IS_LONG ? 400 : 60;
const KILLS = IS_LONG ? 8 : 2;

/** A token is consumed if and only if its registration succeeded, whatever is killed in the middle of it. */
describe('Tokens that are being redeemed when something is killed', () => {
  let place: Place;
  let owner: Client;
  let environment: Record<string, string>;
  let running: RegisterProcess;
  let register: TestRegister;
  let initiator: DataUser;
  let customer: Customer;

  beforeAll(async () => {
    place = await placeOf();
    owner = new Client({ connectionString: place.databaseUrl });
    await owner.connect();
    const names = ['REST_PORT', 'GATEWAY_PORT', 'PORTAL_PORT', 'CONSOLE_PORT', 'MAILBOX_PORT', 'OIDC_PORT'];
    const ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await freePort())])));
    environment = { ...place.environment, LOG_LEVEL: 'fatal', ...ports };
    running = await startRegisterProcess(environment);
    const sandbox = sandboxOf(place.dataDir) as DemoData & { mailbox: string };
    const url = (name: string) => `http://localhost:${environment[name]}`;
    const services = { rest: url('REST_PORT'), gateway: url('GATEWAY_PORT') };
    const urls = { ...services, portal: url('PORTAL_PORT'), console: url('CONSOLE_PORT') };
    const { databaseUrl, dataDir } = place;
    const closing = { log: () => '', close: () => Promise.resolve() };
    register = { ...urls, ...closing, databaseUrl, dataDir, sandbox, mailbox: sandbox.mailbox };
    const enroller = await newDataUser(register, 'https://first.example/return');
    initiator = await newDataUser(register, 'https://second.example/return');
    customer = await newCustomer(enroller);
  });
  afterAll(async () => {
    await running.stop();
    await owner.end();
    await place.remove();
  });

  const redeem = (token: string) => initiator.rest('POST', '/v1/access-records', recordWithToken(token, token));

  /** Which of the tokens have a record, and which are consumed. */
  async function redeemed(tokens: readonly string[]) {
    const { keys } = readSettings({ ...(await sandboxKeyVariables(place.dataDir)), ...environment });
    const hash = keyedHash(keys.accessHashKey as Buffer, 'reidentification-token');
    const { rows } = await owner.query<{ record: boolean; consumed: boolean }>(
      `select exists (select from access.access_record where document->>'purpose' = token) as record,
         exists (select from access.consumed_token where token_hash = hash) as consumed
       from unnest($1::text[], $2::bytea[]) with ordinality as asked (token, hash, n) order by n`,
      [tokens, tokens.map(hash)],
    );
    return rows;
  }

  /** What was consumed has its record, what has none can still be redeemed; nothing can be redeemed twice. */
  async function expectWhole(tokens: readonly string[], acknowledged: ReadonlySet<string>): Promise<void> {
    const found = await redeemed(tokens);
    expect(found.filter(({ record, consumed }) => record !== consumed)).toEqual([]);
    const lost = tokens.filter((token, index) => acknowledged.has(token) && found[index]?.record !== true);
    expect(lost).toEqual([]);
    const again = await inTurns(tokens.length, async (turn) => codeOf(await redeem(tokens[turn] as string)));
    expect(again).toEqual(found.map(({ record }) => (record ? '400 VAL009' : '201')));
  }

  it('have their record if and only if they are consumed: kill -9 of the register', async () => {
    const tokens = await confirmedTokens(register, initiator, customer, TOKENS * KILLS);
    for (let round = 0; round < KILLS; round++) {
      const batch = tokens.slice(round * TOKENS, (round + 1) * TOKENS);
      const acknowledged = new Set<string>();
      let killed: Promise<void> | undefined;
      const killAfter = randomInt(TOKENS / 4, TOKENS / 2);
      await inTurns(TOKENS, async (turn) => {
        const token = batch[turn] as string;
        const answer = await redeem(token).catch(() => undefined); // the process is gone
        if (answer?.status === 201) acknowledged.add(token);
        if (acknowledged.size >= killAfter) killed ??= running.kill();
      });
      await killed;
      expect(acknowledged.size).toBeLessThan(TOKENS);
      running = await startRegisterProcess(environment);
      await expectWhole(batch, acknowledged);
    }
  }, 300_000);

  it('have their record if and only if they are consumed: sessions of the database terminated', async () => {
    const tokens = await confirmedTokens(register, initiator, customer, TOKENS);
    const acknowledged = new Set<string>();
    const failed = new Set<string>();
    const holder = new Client({ connectionString: place.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('lock table access.consumed_token in exclusive mode'); // registrations wait in the middle of it
    const redeeming = inTurns(TOKENS, async (turn) => {
      const token = tokens[turn] as string;
      const { status } = await redeem(token);
      (status === 201 ? acknowledged : failed).add(token);
    });
    await until(async () => {
      const { rowCount } = await owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'active'
           and wait_event_type = 'Lock' and query like '%consumed_token%' and pid <> pg_backend_pid()`,
      );
      return rowCount === 0 ? undefined : rowCount;
    });
    await holder.end();
    await redeeming;
    expect(failed.size).toBeGreaterThan(0);
    await expectWhole(tokens, acknowledged);
  }, 120_000);
});
