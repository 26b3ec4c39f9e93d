import { Client, Pool } from 'pg';
import { identityRecord, newMpxn } from '../support/customers';
import { type Graph, graphOf } from '../support/graph';
import { consentRecord } from '../support/records';
import {
  type Place,
  type RegisterProcess,
  freePort,
  placeOf,
  sandboxOf,
  startRegisterProcess,
} from '../support/register';
import { type RestClient, accountOf, anonymousClient, tokenOf } from '../support/rest-client';
import { until } from '../support/until';

/** Milliseconds: a start, and the few seconds after which the job looks. */
const ENDS_WITHIN = 40_000;

jest.setTimeout(120_000);
const RECORD = `mutation ($input: ChangeOfTenancyInput!) {
  recordChangeOfTenancy(input: $input) { activeRecordsAffected dataUsersNotified isNew } }`;

let place: Place;
let environment: Record<string, string>;
let register: RegisterProcess;
let owner: Pool;
let dataUser: RestClient;
let duid: string;
let operator: Graph;

beforeAll(async () => {
  place = await placeOf();
  const [restPort, gatewayPort] = await Promise.all([freePort(), freePort()]);
  environment = {
    ...place.environment,
    SERVICES: 'identity,access,gateway,rest-adapter',
    ACCESS_PORT: String(await freePort()),
    LOG_LEVEL: 'warn',
    REST_PORT: String(restPort),
    GATEWAY_PORT: String(gatewayPort),
  };
  register = await startRegisterProcess(environment);
  const sandbox = sandboxOf(place.dataDir);
  const urls = { rest: `http://localhost:${restPort}`, gateway: `http://localhost:${gatewayPort}`, sandbox };
  dataUser = anonymousClient(urls.rest, `Bearer ${await tokenOf(urls, 'data_user')}`);
  duid = accountOf(sandbox, 'data_user').duid as string;
  operator = graphOf(urls, await tokenOf(urls, 'communications_operator'));
  owner = new Pool({ connectionString: place.databaseUrl });
});
afterAll(async () => {
  await register?.stop();
  await owner?.end();
  await place?.remove();
});

/** A meter point with one ACTIVE record, and a change of its tenancy. */
async function changeToRecord() {
  const mpxn = newMpxn();
  const { body } = await dataUser('POST', '/v1/identity-records', identityRecord(mpxn, null));
  expect((await dataUser('POST', '/v1/access-records', consentRecord(String(body['ir'])))).status).toBe(201);
  return { mpxn, effectiveDate: `2026-09-0${++changes}`, sourceReference: `COT-${mpxn}` };
}
let changes = 0;

type Change = Awaited<ReturnType<typeof changeToRecord>>;

/** What a change has come to, in both subgraphs. */
async function standing({ effectiveDate }: Change) {
  const { rows } = await owner.query(
    `select announced_at is not null as announced, (select count(*)::int from access.event where change_id = change.id) as told
     from identity.change_of_tenancy change where effective_date = $1`,
    [effectiveDate],
  );
  return rows[0] as { announced: boolean; told: number } | undefined;
}

async function session(): Promise<Client> {
  const client = new Client({ connectionString: place.databaseUrl });
  await client.connect();
  await client.query('begin');
  return client;
}

/** Resolves when a session of a subgraph waits for a lock. */
const somebodyWaits = (of: 'identity' | 'access') =>
  until(async () => {
    const { rows } = await owner.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and usename like $1 || '%'`,
      [of],
    );
    return rows.length > 0 ? true : undefined;
  });

/** Kills the register; what its sessions wait to do is not done afterwards. */
async function killed(): Promise<void> {
  await register.kill();
  await until(async () => {
    const { rows } = await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where usename ~ '^(identity|access)_' and datname = current_database()`,
    );
    return rows.length === 0 ? true : undefined;
  });
}

/** What came of a change in the end: told once, and answered so. */
async function expectToldOnce(input: Change, isNew: boolean): Promise<void> {
  const { data, errors } = await operator(RECORD, { input });
  expect(errors).toEqual([]);
  expect(data.recordChangeOfTenancy).toEqual({ activeRecordsAffected: 1, dataUsersNotified: [duid], isNew });
  expect(await standing(input)).toEqual({ announced: true, told: 1 });
}

describe('A Change of Tenancy whose recording was killed', () => {
  it('before it was recorded was never there', async () => {
    const input = await changeToRecord();
    const holder = await session();
    await holder.query('lock table identity.change_of_tenancy in share mode');
    const attempt = operator(RECORD, { input }).catch(() => 'no answer');
    await somebodyWaits('identity');
    await killed();
    await holder.end();
    expect(await attempt).toBe('no answer');
    expect(await standing(input)).toBeUndefined();
    register = await startRegisterProcess(environment);
    await expectToldOnce(input, true);
  });

  it('before Data Users were told is told by the next start, without being asked', async () => {
    const input = await changeToRecord();
    const holder = await session();
    await holder.query('lock table access.tenancy_change in share mode');
    const attempt = operator(RECORD, { input }).catch(() => 'no answer');
    await somebodyWaits('access');
    await killed();
    await holder.end();
    expect(await attempt).toBe('no answer');
    expect(await standing(input)).toEqual({ announced: false, told: 0 });
    register = await startRegisterProcess(environment);
    await until(async () => ((await standing(input))?.announced ? true : undefined), ENDS_WITHIN);
    await expectToldOnce(input, false);
  });

  it('after Data Users were told, before that was noted, is told no second time', async () => {
    const input = await changeToRecord();
    const [holder, noteHolder] = [await session(), await session()];
    await holder.query('lock table access.tenancy_change in share mode');
    const attempt = operator(RECORD, { input }).catch(() => 'no answer');
    await somebodyWaits('access');
    await noteHolder.query('select from identity.change_of_tenancy for update');
    await holder.end();
    await somebodyWaits('identity');
    await killed();
    await noteHolder.end();
    expect(await attempt).toBe('no answer');
    expect(await standing(input)).toEqual({ announced: false, told: 1 });
    register = await startRegisterProcess(environment);
    await until(async () => ((await standing(input))?.announced ? true : undefined), ENDS_WITHIN);
    await expectToldOnce(input, false);
  });

  it('and whose job was lost, as in a restore, is told all the same', async () => {
    const input = await changeToRecord();
    const holder = await session();
    await holder.query('lock table access.tenancy_change in share mode');
    const attempt = operator(RECORD, { input }).catch(() => 'no answer');
    await somebodyWaits('access');
    await killed();
    await holder.end();
    expect(await attempt).toBe('no answer');
    await owner.query('delete from identity_jobs._private_jobs');
    await owner.query('alter table identity.change_of_tenancy disable trigger not_rewritten');
    await owner.query(
      `update identity.change_of_tenancy set recorded_at = recorded_at - interval '2 minutes' where announced_at is null`,
    );
    await owner.query('alter table identity.change_of_tenancy enable trigger not_rewritten');
    register = await startRegisterProcess(environment);
    await until(async () => ((await standing(input))?.announced ? true : undefined), ENDS_WITHIN);
    await expectToldOnce(input, false);
  });
});
