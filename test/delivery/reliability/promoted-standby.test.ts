import { Client } from 'pg';
import { type ResumingClient, resumingClient } from '../../support/chaos/resuming-client';
import { graphOf } from '../../support/graph';
import { type ControlledPostgres, controlledPostgres, runIn } from '../../support/postgres';
import { consentRecord } from '../../support/records';
import { type TestRegister, startTestRegister } from '../../support/register';
import { type RestClient, anonymousClient, good, signedInClient, tokenOf } from '../../support/rest-client';
import { logOfRegisterSettled } from '../../support/settled-log';
import { type SilencedProxy, silencedProxy } from '../../support/silenced-proxy';
import { TRANSPORTS } from '../../support/subscriber';
import { until } from '../../support/until';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver';

const DAY_MS = 86_400_000;
/** Number of registrations before the primary is killed, and again after the standby is promoted. */
const EACH = 20;
const END_CLIENT_SESSIONS = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid()`;

/**
 * A separate PostgreSQL with a standby, because the test kills the primary. The proxy forwards to the current primary.
 */
describe('A register whose synchronous standby takes over from a killed primary', () => {
  let primary: ControlledPostgres;
  let standby: ControlledPostgres;
  let proxy: SilencedProxy;
  let register: TestRegister;
  let dataUser: RestClient;
  let receiver: WebhookReceiver;
  let first: string;
  const log: ResumingClient[] = [];
  const acknowledged: string[] = [];

  beforeAll(async () => {
    primary = await controlledPostgres();
    standby = await primary.standby();
    proxy = await silencedProxy(primary.url);
    const environment = { WEBHOOK_ALLOW_LOOPBACK: 'true' };
    register = await startTestRegister('one process', { databaseUrl: proxy.url, environment });
    dataUser = await signedInClient(register, 'data_user');
    receiver = await webhookReceiver();
    good(await dataUser('POST', '/v1/webhooks', { 'callback-url': receiver.url, 'alert-email': 'a@larkhill.example' }));
    await followLog();
  });
  afterAll(async () => {
    await Promise.all(log.map((client) => client.stop()));
    await register?.close();
    await receiver?.close();
    await proxy?.close();
    await Promise.all([primary?.remove(), standby?.remove()]);
  });

  async function followLog(): Promise<void> {
    const admin = await tokenOf(register, 'admin');
    await logOfRegisterSettled(register);
    const { data } = await graphOf(register, admin)('{ latestRegisterEvents(first: 1) { id cursor } }');
    const [{ id, cursor }] = data.latestRegisterEvents;
    first = id;
    for (const [, subscribe] of TRANSPORTS) log.push(resumingClient(subscribe, register.gateway, admin, cursor));
  }

  /** Registers a consent whose notice is due immediately; stores its key if the registration was acknowledged. */
  async function registerOne(): Promise<void> {
    const record = consentRecord(register.sandbox.samples.identity_record);
    record['access-event'].expiry = new Date(Date.now() + 5 * DAY_MS).toISOString() as never;
    const { status, body } = await dataUser('POST', '/v1/access-records', record);
    if (status === 201) acknowledged.push(String(body['access-token'].key));
  }

  const noticesOf = (ak: string) => receiver.received.filter(({ body }) => body.includes(ak));

  it('verifies by the primary again after its address led to the standby for a while', async () => {
    await registerOne();
    const path = `/v1/access-records/${acknowledged.at(-1)}`;
    const verify = anonymousClient(register.rest);
    proxy.redirect(portOf(standby));
    // A connection that was being opened at the redirection leads to the primary: requests may use it until it ends.
    await until(async () => {
      await runIn(primary.url, END_CLIENT_SESSIONS);
      const verifications = Array.from({ length: 10 }, () => verify('GET', path));
      const responses = await Promise.all([dataUser('DELETE', path), ...verifications]);
      return responses.every(({ status }) => status === 503) || undefined;
    });
    await runIn(standby.url, 'select pg_wal_replay_pause()');
    proxy.redirect(portOf(primary));
    try {
      // 409 if the response to an earlier request was 503 after its commit, which waits for the standby.
      await until(async () => [200, 409].includes((await dataUser('DELETE', path)).status) || undefined);
      const verified = await until(async () => {
        const response = await verify('GET', path);
        return response.status === 503 ? undefined : response;
      });
      expect(verified.body['access-record']['access-event'].state).toBe('REVOKED');
    } finally {
      await runIn(standby.url, 'select pg_wal_replay_resume()');
    }
    acknowledged.pop();
  });

  it('retains every acknowledged record and event, and sends each notice', async () => {
    while (acknowledged.length < EACH) await registerOne();
    const under = [registerOne(), registerOne(), registerOne(), registerOne()];
    await primary.kill();
    await Promise.all(under);
    await runIn(standby.url, 'select pg_promote()');
    proxy.redirect(portOf(standby));
    const before = acknowledged.length;
    await until(async () => {
      await registerOne();
      return acknowledged.length >= before + EACH || undefined;
    });

    const verify = anonymousClient(register.rest);
    for (const ak of acknowledged) expect((await verify('GET', `/v1/access-records/${ak}`)).status).toBe(200);
    await until(() => acknowledged.every((ak) => noticesOf(ak).length > 0) || undefined);
    const twice = acknowledged.filter(
      (ak) => new Set(noticesOf(ak).map(({ headers }) => headers['webhook-id'])).size > 1,
    );
    expect(twice).toEqual([]);
    const stored = await eventsStored();
    for (const { events } of log) {
      await until(() => events.length >= stored.length || undefined);
      expect(events).toEqual(stored);
    }
  });

  /** Returns the ids of the events on the new primary since the clients started, in the order of the log. */
  async function eventsStored(): Promise<string[]> {
    await logOfRegisterSettled(register);
    const client = new Client({ connectionString: standby.url });
    await client.connect();
    try {
      const { rows } = await client.query<{ id: string }>('select id from access.event order by era, tx, position');
      const ids = rows.map(({ id }) => id);
      return ids.slice(ids.indexOf(first) + 1);
    } finally {
      await client.end();
    }
  }
});

const portOf = ({ url }: ControlledPostgres) => Number(new URL(url).port);
