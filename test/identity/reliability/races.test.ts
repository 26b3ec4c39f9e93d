import { MAX_AD_HOC } from '../../../gateway/requests/concurrent-operations';
import { Client, Pool } from 'pg';
import { graphFor, onboarded } from '../../support/administration';
import { ANONYMISED, standings, untouched } from '../../support/chaos/invariants';
import { codeOf, confirmedTokens, repeated, recordWithToken } from '../../support/confirmed-tokens';
import {
  type Customer,
  type DataUser,
  identityRecord,
  newCustomer,
  newDataUser,
  newMpxn,
} from '../../support/customers';
import { type Graph, failuresOf, graphAs, graphOf } from '../../support/graph';
import { consentRecord } from '../../support/records';
import { type TestRegister, startTestRegister } from '../../support/register';
import { accountOf, persistent } from '../../support/rest-client';
import { until } from '../../support/until';

const IS_LONG = process.env['TEST_LONG'] !== undefined;
const ROUNDS = IS_LONG ? 400 : 16;
const AT_ONCE = 8;
const [TOKENS, REDEMPTIONS] = IS_LONG ? [1_000, 50] : [12, 20];
/** Tokens that are redeemed concurrently, each by several callers. */
const TOKENS_AT_ONCE = 4;
const JUST_OVER_AN_HOUR = 3_601;

const ANONYMISE = `mutation Anonymise($ir: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ir) { anonymisedAt } }`;

let register: TestRegister;
let owner: Client;
let blocker: Client;
let dataUser: DataUser;
let graph: Graph;

beforeAll(async () => {
  // A separate register: these tests move the clock, lock tables and suspend all admins.
  register = await startTestRegister('one process');
  [owner, blocker] = [await session(), await session()];
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
  graph = graphOf(register, dataUser.token);
});
afterEach(async () => {
  await blocker.query('rollback');
  await owner.query('select register.set_clock_offset(0)');
});
afterAll(async () => {
  await Promise.all([owner?.end(), blocker?.end()]);
  await register?.close();
});

async function session(): Promise<Client> {
  const client = new Client({ connectionString: register.databaseUrl });
  await client.connect();
  return client;
}

const anonymise = async ({ ir }: Pick<Customer, 'ir'>) => failuresOf(await graph(ANONYMISE, { ir }))[0] ?? 'anonymised';
const revoke = ({ key }: Customer) => dataUser.rest('DELETE', `/v1/access-records/${key}`);
const waiting = (count: number) =>
  until(async () => {
    const { rows } = await owner.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length >= count ? true : undefined;
  });

const recordWith = ({ ir }: Pick<Customer, 'ir'>, expiry: Date | null) => {
  const record = consentRecord(ir);
  return { ...record, 'access-event': { ...record['access-event'], expiry } };
};
const replace = ({ ir, key }: Customer, expiry: Date | null) =>
  dataUser.rest('PUT', `/v1/access-records/${key}`, recordWith({ ir }, expiry));
const inAnHour = async () =>
  (await owner.query<{ soon: Date }>(`select register.register_now() + interval '1 hour' as soon`)).rows[0]
    ?.soon as Date;

describe('A replacement that started before its record expired', () => {
  const ofCustomer = `(select id from access.access_record
    where identity_record_id = (select id from identity.identity_record where ref = $1))`;

  /** Starts the replacement that postpones the expiry; it waits for `blocker`. Then the record expires, and its Identity Record is anonymised. */
  async function replacedMeanwhile(customer: Customer) {
    const replaced = replace(customer, null);
    await waiting(1);
    await owner.query('select register.set_clock_offset(3600)');
    const anonymised = anonymise(customer);
    await waiting(2);
    await blocker.query('rollback');
    const { status } = await replaced;
    const { body } = await dataUser.rest('GET', `/v1/access-records/${customer.key}`);
    return [status, await anonymised, body['access-record']['access-event'].state];
  }

  it('and postpones the expiry in time prevents the closing of the Identity Record', async () => {
    const customer = await newCustomer(dataUser);
    expect((await replace(customer, await inAnHour())).status).toBe(200);
    await blocker.query('begin');
    await blocker.query(
      `insert into access.access_record_version select copy.* from access.access_record_version stored,
         jsonb_populate_record(stored, jsonb_build_object('version', stored.version + 1)) copy
       where stored.record_id = ${ofCustomer} order by stored.version desc limit 1`,
      [customer.ir],
    );
    expect(await replacedMeanwhile(customer)).toEqual([200, 'CNF003 anonymiseIdentityRecord', 'ACTIVE']);
  });

  it('and waits for the record until then is rejected, and the Identity Record is anonymised', async () => {
    const customer = await newCustomer(dataUser);
    expect((await replace(customer, await inAnHour())).status).toBe(200);
    await blocker.query('begin');
    await blocker.query(`select from access.access_record where id = ${ofCustomer} for update`, [customer.ir]);
    expect(await replacedMeanwhile(customer)).toEqual([409, 'anonymised', 'EXPIRED']);
  });

  it('and arrives after the closing is rejected', async () => {
    const customer = await newCustomer(dataUser);
    await owner.query(
      `insert into access.closed_identity_link (identity_record_id) select id from identity.identity_record where ref = $1`,
      [customer.ir],
    );
    const { status, body } = await replace(customer, await inAnHour());
    expect([status, body['errors'][0]['error-code']]).toEqual([409, 'CNF003']);
    expect((await replace(customer, null)).status).toBe(409); // its reference to the Identity Record would never be destroyed
    expect((await revoke(customer)).status).toBe(200);
  });
});

describe('An existence check during anonymising', () => {
  it('leaves no lookup count', async () => {
    const customer = await newCustomer(dataUser);
    const lookups = `select from identity.identity_look join identity.identity_record r on r.id = record_id where ref = $1`;
    await blocker.query('begin');
    await blocker.query(
      `update identity.identity_record set closing_at = register.register_now(), anonymised_at = register.register_now(),
         mpxn_index = null, email_index = null, meter_point_id = null where ref = $1`,
      [customer.ir],
    );
    const checked = dataUser.rest('GET', `/v1/identity-records/exists?mpxn=${customer.mpxn}`);
    await Promise.race([checked, waiting(1)]);
    await blocker.query('commit');
    expect((await checked).status).toBe(200);
    expect((await owner.query(lookups, [customer.ir])).rowCount).toBe(0);
  });
});

describe('While closings are blocked', () => {
  it('other requests to identity are processed, and the started ones complete', async () => {
    const customers: Customer[] = [];
    for (let count = 0; count < 14; count++) customers.push(await newCustomer(dataUser));
    for (const customer of customers) await revoke(customer);
    await blocker.query('begin');
    await blocker.query('lock table access.closed_identity_link in share mode');
    const started = [...customers, ...customers.slice(0, 4)].map(anonymise);
    const attempts = Promise.all(started);
    let ended = 0;
    for (const attempt of started) void attempt.then(() => (ended += 1));
    await waiting(2);
    const { status } = await dataUser.rest('POST', '/v1/identity-records', identityRecord(newMpxn(), null));
    expect(status).toBe(201);
    expect(ended).toBe(0); // no other request has waited for them
    const outcomes = await attempts;
    const [delayed, neverStarted] = ['SYS002 anonymiseIdentityRecord', 'LIM002'];
    const startedLate = 'SYS002'; // the time limit of the whole request, on a busy machine
    expect(outcomes.filter((outcome) => outcome === delayed).length).toBeGreaterThanOrEqual(MAX_AD_HOC);
    expect(outcomes).toContain(neverStarted);
    expect(outcomes.filter((outcome) => ![delayed, neverStarted, startedLate].includes(outcome))).toEqual([]);
    await blocker.query('commit');
    await until(async () => {
      const { rows } = await owner.query(
        'select from identity.identity_record where closing_at is not null and anonymised_at is null',
      );
      return rows.length === 0 ? true : undefined;
    });
    for (const customer of customers) expect(await anonymise(customer)).toBe('anonymised');
  });
});

describe('A stored response of a re-identification', () => {
  it('is returned until the record is anonymised, and not afterwards', async () => {
    const customer = await newCustomer(dataUser);
    const request = { method: 'magic-link' };
    const send = (path: string, body: object) =>
      dataUser.rest('POST', `/v1/identity-records/${path}`, body, { 'idempotency-key': `kept-${customer.mpxn}` });
    const cross = () => send('reidentify', { ...request, mpxn: customer.mpxn });
    const own = () => send(`${customer.ir}/re-identify`, request);
    for (const input of [cross, own]) {
      const first = await input();
      expect(first.status).toBe(200);
      expect((await input()).body['magic-link']).toEqual(first.body['magic-link']);
    }
    await revoke(customer);
    expect(await anonymise(customer)).toBe('anonymised');
    expect([(await cross()).status, (await own()).status]).toEqual([404, 409]);
  });
});

describe('A registration and a concurrent anonymising of its Identity Record', () => {
  let pool: Pool;
  beforeAll(() => {
    pool = new Pool({ connectionString: register.databaseUrl, max: AT_ONCE });
  });
  afterAll(() => pool.end());

  const rows = async <Row>(text: string, values?: unknown[]) => (await pool.query(text, values)).rows as Row[];
  const standing = async (ir: string) => (await standings(rows, [ir]))[ir];
  const registerAt = async (ir: string) =>
    (await dataUser.rest('POST', '/v1/access-records', consentRecord(ir))).status;

  it('are serialised in the order of their starts: an anonymising waits for a registration, and is rejected', async () => {
    const { body } = await dataUser.rest('POST', '/v1/identity-records', identityRecord(newMpxn(), null));
    const ir = String(body['ir']);
    await blocker.query('begin');
    await blocker.query('lock table access.event in share mode');
    const registered = registerAt(ir);
    await waiting(1);
    const anonymised = anonymise({ ir });
    await waiting(2);
    await blocker.query('rollback');
    expect([await registered, await anonymised]).toEqual([201, 'CNF003 anonymiseIdentityRecord']);
    expect(await standing(ir)).toEqual(untouched(1));
  });

  it('are rejected if another Data User delays the closing, although they were admitted before', async () => {
    const customer = await newCustomer(dataUser);
    const other = await newDataUser(register, 'https://moorland.example/back');
    const [token = '', late = ''] = await confirmedTokens(register, other, customer, 2);
    const { status, body } = await other.rest('POST', '/v1/access-records', recordWithToken(token));
    expect(status).toBe(201);
    await revoke(customer);
    await blocker.query('begin');
    await blocker.query('lock table access.access_record in share mode');
    const admitted = [
      dataUser.rest('POST', '/v1/access-records', consentRecord(customer.ir)),
      other.rest('POST', '/v1/access-records', recordWithToken(late)),
    ];
    await until(async () => {
      const registrations = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and strpos(query, 'insert into access_record (') > 0`;
      return (await owner.query(registrations)).rowCount === admitted.length ? true : undefined;
    });
    expect(await anonymise(customer)).toBe('anonymised'); // closed, and anonymised later
    await blocker.query('rollback');
    expect((await Promise.all(admitted)).map(codeOf)).toEqual(['409 CNF003', '409 CNF003']);
    expect((await other.rest('DELETE', `/v1/access-records/${body['access-token'].key}`)).status).toBe(200);
    expect(await anonymise(customer)).toBe('anonymised');
    expect(await standing(customer.ir)).toEqual(ANONYMISED);
  });

  it(
    'are serialised: no anonymised record has an ACTIVE access record, and none is partly anonymised',
    async () => {
      const seen = new Set<string>();
      const round = async (number: number) => {
        const { body } = await dataUser.rest('POST', '/v1/identity-records', identityRecord(newMpxn(), null));
        const ir = String(body['ir']);
        const enter = async () => {
          if (number % 4 === 1) await until(async () => ((await standing(ir))?.closing ? true : undefined));
          return registerAt(ir);
        };
        const wishes = number % 2 === 0 ? [enter, () => anonymise({ ir })] : [() => anonymise({ ir }), enter];
        if (number % 4 > 1) wishes.push(enter);
        if (number % 8 > 5) wishes.push(() => anonymise({ ir }));
        const outcomes = await Promise.all(wishes.map((request) => request()));
        const active = outcomes.filter((outcome) => outcome === 201).length;
        expect(await standing(ir)).toEqual(outcomes.includes('anonymised') ? ANONYMISED : untouched(active));
        expect(
          outcomes.filter((outcome) => ![201, 409, 'anonymised', 'CNF003 anonymiseIdentityRecord'].includes(outcome)),
        ).toEqual([]);
        seen.add(outcomes.includes('anonymised') ? 'anonymised' : 'registered');
      };
      for (let number = 0; number < ROUNDS; number += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => round(number + index)));
      }
      expect([...seen].toSorted()).toEqual(['anonymised', 'registered']);
    },
    IS_LONG ? 1_800_000 : 60_000,
  );
});

describe('Re-identification tokens', () => {
  let initiator: DataUser;
  beforeAll(async () => {
    initiator = await newDataUser(register, 'https://second.example/return');
  });

  const confirmed = async (count: number) => confirmedTokens(register, initiator, await newCustomer(dataUser), count);
  const redeem = async (token: string, by = initiator) =>
    codeOf(await persistent(by.rest)('POST', '/v1/access-records', recordWithToken(token)));
  const moveClock = (seconds: number) => owner.query('select register.set_clock_offset($1)', [seconds]);

  it(
    `are redeemed once each: ${TOKENS} tokens with ${REDEMPTIONS} concurrent callers each`,
    async () => {
      const tokens = await confirmed(TOKENS);
      const redeemByAll = (number: number) =>
        Promise.all(Array.from({ length: REDEMPTIONS }, () => redeem(tokens[number] as string)));
      const outcomes = await repeated(TOKENS, redeemByAll, TOKENS_AT_ONCE);
      expect(new Set(outcomes.flat())).toEqual(new Set(['201', '400 VAL009']));
      const successes = outcomes.map((responses) => responses.filter((response) => response === '201').length);
      expect(successes).toEqual(tokens.map(() => 1));
    },
    IS_LONG ? 1_800_000 : 60_000,
  );

  it('cannot be redeemed by another Data User, not even by the one that registered the customer', async () => {
    const [token] = (await confirmed(1)) as [string];
    expect(await redeem(token, dataUser)).toBe('403 PRM002');
    expect(await redeem(token)).toBe('201');
  });

  it('cannot be redeemed an hour after issuance', async () => {
    const [token] = (await confirmed(1)) as [string];
    await moveClock(JUST_OVER_AN_HOUR);
    expect(await redeem(token)).toBe('400 VAL009');
    await moveClock(0);
    expect(await redeem(token)).toBe('201');
  });
});

describe('Admins who suspend and terminate each other concurrently', () => {
  it('never leave the register without an admin', async () => {
    const first = await graphAs(register, 'admin');
    const accountIds = [accountOf(register.sandbox, 'admin').account_id];
    const admins = [first];
    for (const name of ['Second Admin', 'Third Admin']) {
      const account = await onboarded(first, { role: 'ADMIN', displayName: name });
      accountIds.push(account.accountId);
      admins.push(await graphFor(register, account));
    }
    const end = (admin: Graph, change: string, id: string) =>
      admin(`mutation { ${change}Account(accountId: "${id}") { status } }`);
    await Promise.all(
      admins.flatMap((admin) => accountIds.map((id, index) => end(admin, index === 1 ? 'terminate' : 'suspend', id))),
    );
    const active = await owner.query(`select from access.account where status = 'active' and role = 'admin'`);
    expect(active.rowCount).toBe(1);
  });
});
