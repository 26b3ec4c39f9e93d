import { Client } from 'pg';
import {
  type Place,
  type RegisterProcess,
  freePort,
  placeOf,
  sandboxOf,
  startRegisterProcess,
} from '../support/register';
import { newMpxn } from '../support/customers';
import { type Graph, graphOf } from '../support/graph';
import { REGISTER_CONSENT, consentOf, halfMadeConsents } from '../support/legacy-consents';
import { consentRecord } from '../support/records';
import { type RestClient, anonymousClient, signedInClient, tokenOf } from '../support/rest-client';
import { type DemoData, samplesOf } from '../../sandbox/demo-data';

const REGISTRATIONS = 2_000;
const KILL_AFTER = 700;
const AT_ONCE = 16;

describe('A register whose process is killed', () => {
  let place: Place;
  let environment: Record<string, string>;
  let rest: string;
  let register: RegisterProcess;
  let sandbox: DemoData;

  beforeAll(async () => {
    place = await placeOf();
    const restPort = await freePort();
    rest = `http://localhost:${restPort}`;
    environment = {
      ...place.environment,
      SERVICES: 'identity,access,gateway,rest-adapter',
      ACCESS_PORT: String(await freePort()),
      LOG_LEVEL: 'error',
      REST_PORT: String(restPort),
      GATEWAY_PORT: String(await freePort()),
    };
    register = await startRegisterProcess(environment);
    sandbox = sandboxOf(place.dataDir);
  });
  afterAll(async () => {
    await register.stop();
    await place.remove();
  });

  it('has every registration that it acknowledged, whole, and none half made', async () => {
    const dataUser = await signedInClient({ rest, sandbox }, 'data_user');
    const graph = graphOf(
      { gateway: `http://localhost:${environment['GATEWAY_PORT']}` },
      await tokenOf({ rest, sandbox }, 'data_user'),
    );
    const consenting = consentUntilKilled(graph, samplesOf(sandbox).duid);
    const acknowledged = await registerUntilKilled(dataUser, sandbox.samples.identity_record, register);
    const consented = await consenting;
    register = await startRegisterProcess(environment);
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILL_AFTER);
    expect(consented.length).toBeGreaterThan(0);
    const verify = anonymousClient(rest);
    for (const ak of [...acknowledged, ...consented]) {
      const { status, body } = await verify('GET', `/v1/access-records/${ak}`);
      expect([status, body['access-record']?.['access-event'].state]).toEqual([200, 'ACTIVE']);
    }
    expect(await halfMadeRecords(place.databaseUrl)).toEqual({
      withoutVersion: 0,
      withoutTransition: 0,
      keysWithoutRecord: 0,
    });
    expect(await halfMadeConsents(place.databaseUrl)).toEqual({
      withoutIdentityRecord: 0,
      provisional: 0,
      withoutKey: 0,
      keysOfNothing: 0,
    });
  });

  it('gives the answer that it gave before to a repeat with the same Idempotency-Key', async () => {
    const before = await signedInClient({ rest, sandbox }, 'data_user');
    const send = (client: RestClient) =>
      client('POST', '/v1/access-records', consentRecord(sandbox.samples.identity_record), {
        'idempotency-key': 'over-a-kill',
      });
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(before)));
    const [key] = [
      ...new Set(answers.filter(({ status }) => status === 201).map(({ body }) => String(body['access-token'].key))),
    ];
    await register.kill();
    register = await startRegisterProcess(environment);
    const repeat = await send(await signedInClient({ rest, sandbox }, 'data_user'));
    expect([repeat.status, repeat.body['access-token'].key, repeat.headers.get('idempotency-replayed')]).toEqual([
      201,
      key,
      'true',
    ]);
  });
});

/** Registers with {@link AT_ONCE} requests under way; kills the process in the middle; answers the acknowledged keys. */
async function registerUntilKilled(client: RestClient, ref: string, register: RegisterProcess): Promise<string[]> {
  const acknowledged: string[] = [];
  let sent = 0;
  let killed: Promise<void> | undefined;
  const sender = async () => {
    while (sent < REGISTRATIONS) {
      const number = sent++;
      try {
        const { status, body } = await client('POST', '/v1/access-records', consentRecord(ref), {
          'idempotency-key': `kill-${number}`,
        });
        if (status === 201) acknowledged.push(String(body['access-token'].key));
      } catch {
        return; // the process is gone
      }
      if (acknowledged.length >= KILL_AFTER) killed ??= register.kill();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  await killed;
  return acknowledged;
}

/** Registers consents, a few at once, until the process is gone; answers the access keys of the acknowledged ones. */
async function consentUntilKilled(graph: Graph, duid: string): Promise<string[]> {
  const acknowledged: string[] = [];
  const sender = async () => {
    for (;;) {
      const key = newMpxn();
      const answer = await graph(REGISTER_CONSENT, { input: consentOf({ duid }), key }).catch(() => undefined);
      if (answer === undefined) return;
      const ck: string | undefined = answer.data?.registerConsent.consentToken.key;
      if (ck !== undefined) acknowledged.push(ck.replace('ck_', 'ak_'));
    }
  };
  await Promise.all(Array.from({ length: 4 }, sender));
  return acknowledged;
}

async function halfMadeRecords(databaseUrl: string) {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(`
      select
        (select count(*)::int from access.access_record r where not exists
          (select from access.access_record_version v where v.record_id = r.id and v.version = r.version)) as "withoutVersion",
        (select count(*)::int from access.access_record r where not exists
          (select from access.access_record_transition t where t.record_id = r.id)) as "withoutTransition",
        (select count(*)::int from access.idempotency_key) - (select count(*)::int from access.access_record
          where created_at >= (select min(expires_at) - interval '24 hours' from access.idempotency_key)) as "keysWithoutRecord"`);
    return rows[0] as Record<string, number>;
  } finally {
    await client.end();
  }
}
