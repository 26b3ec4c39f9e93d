import { Client, Pool } from 'pg';
import { identityRecord, newMpxn } from '../support/customers';
import { type Graph, failuresOf, graphOf } from '../support/graph';
import { consentRecord } from '../support/records';
import {
  type Place,
  type RegisterProcess,
  freePort,
  placeOf,
  sandboxOf,
  startRegisterProcess,
} from '../support/register';
import { type RestClient, anonymousClient, tokenOf } from '../support/rest-client';
import { until } from '../support/until';

const IS_LONG = process.env['TEST_LONG'] !== undefined;
const ROUNDS = IS_LONG ? 400 : 40;
const AT_ONCE = 8;
/** Milliseconds: a start, and the few seconds after which the job looks. */
const ENDS_WITHIN = 40_000;

jest.setTimeout(120_000);
const ANONYMISE = 'mutation Anonymise($ir: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ir) { anonymisedAt } }';

let place: Place;
let environment: Record<string, string>;
let register: RegisterProcess;
let owner: Pool;
let rest: RestClient;
let graph: Graph;

beforeAll(async () => {
  place = await placeOf();
  const [restPort, gatewayPort] = [await freePort(), await freePort()];
  environment = {
    ...place.environment,
    SERVICES: 'identity,access,gateway,rest-adapter',
    ACCESS_PORT: String(await freePort()),
    LOG_LEVEL: 'warn',
    REST_PORT: String(restPort),
    GATEWAY_PORT: String(gatewayPort),
  };
  register = await startRegisterProcess(environment);
  const urls = { rest: `http://localhost:${restPort}`, gateway: `http://localhost:${gatewayPort}` };
  const token = await tokenOf({ ...urls, sandbox: sandboxOf(place.dataDir) }, 'data_user');
  rest = anonymousClient(urls.rest, `Bearer ${token}`);
  graph = graphOf(urls, token);
  owner = new Pool({ connectionString: place.databaseUrl });
});
afterAll(async () => {
  await register?.stop();
  await owner?.end();
  await place?.remove();
});

async function enrolled(): Promise<string> {
  const { status, body } = await rest('POST', '/v1/identity-records', identityRecord(newMpxn(), null));
  expect(status).toBe(201);
  return String(body['ir']);
}

const registerAt = async (ir: string) => (await rest('POST', '/v1/access-records', consentRecord(ir))).status;
const anonymise = async (ir: string) => failuresOf(await graph(ANONYMISE, { ir }))[0] ?? 'anonymised';

/** Where a record stands, in both subgraphs. */
async function standing(ir: string) {
  const { rows } = await owner.query(
    `select r.anonymised_at is not null as anonymised, r.closing_at is not null as closing, r.mpxn_index is null as unfindable,
      not exists (select from identity_keys.data_key k where k.record_id = r.id) as unreadable,
      exists (select from access.closed_identity_link c where c.identity_record_id = r.id) as closed,
      (select count(*)::int from access.access_record a where a.identity_record_id = r.id and a.state = 'ACTIVE') as active
     from identity.identity_record r where r.ref = $1`,
    [ir],
  );
  return rows[0] as Record<'anonymised' | 'closing' | 'unfindable' | 'unreadable' | 'closed', boolean> & {
    active: number;
  };
}

const ANONYMISED = { anonymised: true, closing: true, unfindable: true, unreadable: true, closed: true, active: 0 };
const untouched = (active: number) => ({
  anonymised: false,
  closing: false,
  unfindable: false,
  unreadable: false,
  closed: false,
  active,
});

describe('A registration and the anonymising of its Identity Record at once', () => {
  it('come one after the other: never an ACTIVE record of an anonymised one, never a half anonymised one', async () => {
    const seen = new Set<string>();
    const round = async (number: number) => {
      const ir = await enrolled();
      const enter = async () => {
        if (number % 4 === 1) await until(async () => ((await standing(ir)).closing ? true : undefined));
        return registerAt(ir);
      };
      const wishes = number % 2 === 0 ? [enter, () => anonymise(ir)] : [() => anonymise(ir), enter];
      if (number % 4 > 1) wishes.push(enter);
      if (number % 8 > 5) wishes.push(() => anonymise(ir));
      const outcomes = await Promise.all(wishes.map((wish) => wish()));
      const at = await standing(ir);
      const active = outcomes.filter((outcome) => outcome === 201).length;
      expect(at).toEqual(outcomes.includes('anonymised') ? ANONYMISED : untouched(active));
      expect(
        outcomes.filter((outcome) => ![201, 409, 'anonymised', 'CNF003 anonymiseIdentityRecord'].includes(outcome)),
      ).toEqual([]);
      seen.add(outcomes.includes('anonymised') ? 'anonymised' : 'registered');
    };
    for (let number = 0; number < ROUNDS; number += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => round(number + index)));
    }
    expect([...seen].toSorted()).toEqual(['anonymised', 'registered']);
  });
});

/** A step of anonymising, held up by a lock on the table that it needs. */
interface HeldStep {
  readonly name: string;
  readonly table: string;
  readonly left: Partial<Awaited<ReturnType<typeof standing>>>;
}

/** The steps between the two subgraphs; those before and after in the long form. */
const STEPS: readonly HeldStep[] = [
  { name: 'before the record is marked', table: 'identity.identity_record', left: { closing: false, closed: false } },
  {
    name: 'while access records lose their links',
    table: 'access.access_record',
    left: { closing: true, closed: false },
  },
  {
    name: 'while the data key is destroyed',
    table: 'identity_keys.data_key',
    left: { closing: true, closed: true, anonymised: false },
  },
  {
    name: 'before the last of it is destroyed',
    table: 'identity.identity_look',
    left: { closing: true, closed: true, unreadable: false },
  },
];

/** Begins to anonymise a record, kills the register at a step, starts it again; answers what the kill had left. */
async function killedAt(ir: string, table: string) {
  const holder = new Client({ connectionString: place.databaseUrl });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(`lock table ${table} in share mode`);
    const attempt = anonymise(ir).catch(() => 'no answer');
    await until(async () => {
      const { rowCount } = await owner.query(
        `select from pg_locks where not granted and relation = '${table}'::regclass`,
      );
      return rowCount === 0 ? undefined : true;
    });
    await register.kill();
    expect(await attempt).toBe('no answer');
  } finally {
    await holder.end();
  }
  await until(async () => {
    const { rows } = await owner.query(
      `select from pg_stat_activity where usename ~ '^(identity|access)_' and datname = current_database()`,
    );
    return rows.length === 0 ? true : undefined;
  });
  return standing(ir);
}

describe('Anonymising that was killed', () => {
  it.each(IS_LONG ? STEPS : STEPS.slice(1, 3))(
    '$name is finished by the next start, or was never begun',
    async ({ table, left }) => {
      const ir = await enrolled();
      const found = await killedAt(ir, table);
      expect(found).toMatchObject(left);
      register = await startRegisterProcess(environment);
      if (found.closing) {
        await until(async () => ((await standing(ir)).anonymised ? true : undefined), ENDS_WITHIN);
      } else {
        expect(await standing(ir)).toEqual(untouched(0));
        expect(await anonymise(ir)).toBe('anonymised');
      }
      expect(await standing(ir)).toEqual(ANONYMISED);
      expect(await anonymise(ir)).toBe('anonymised');
      expect(await registerAt(ir)).toBe(409);
    },
  );

  it('is undone by the next start when a linked record is ACTIVE', async () => {
    const ir = await enrolled();
    expect(await registerAt(ir)).toBe(201);
    const found = await killedAt(ir, 'access.closed_identity_link');
    expect(found).toEqual({ ...untouched(1), closing: true });
    register = await startRegisterProcess(environment);
    await until(async () => ((await standing(ir)).closing ? undefined : true), ENDS_WITHIN);
    expect(await standing(ir)).toEqual(untouched(1));
    expect(await registerAt(ir)).toBe(201);
  });

  it('and whose job was lost is ended all the same', async () => {
    const ir = await enrolled();
    await killedAt(ir, 'identity_keys.data_key');
    await owner.query('delete from identity_jobs._private_jobs');
    await owner.query('alter table identity.identity_record disable trigger not_rewritten');
    await owner.query(
      `update identity.identity_record set closing_at = closing_at - interval '2 minutes' where ref = $1`,
      [ir],
    );
    await owner.query('alter table identity.identity_record enable trigger not_rewritten');
    register = await startRegisterProcess(environment);
    await until(async () => ((await standing(ir)).anonymised ? true : undefined), ENDS_WITHIN);
    expect(await standing(ir)).toEqual(ANONYMISED);
  });
});
