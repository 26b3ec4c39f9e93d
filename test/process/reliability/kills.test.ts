import { randomInt } from 'node:crypto';
import { type Receiver, startReceiver } from '../../support/chaos/receiver';
import { type WatchedDeliveries, watchDeliveries } from '../../support/chaos/deliveries';
import { heldStepKills } from '../../support/chaos/held-step-kills';
import { heldSteps } from '../../support/chaos/held-steps';
import {
  changesOn,
  halfDone,
  recordsExpected,
  recordsOf,
  standings,
  standingsExpected,
} from '../../support/chaos/invariants';
import { type KillsFixture, killCore, openKillsFixture } from '../../support/chaos/kills-fixture';
import { type ResumingClient, resumingClient } from '../../support/chaos/resuming-client';
import { type Acknowledged, DAY_OF_CHANGES, type Writers, startWriting } from '../../support/chaos/writers';
import { codeOf, confirmedTokens, repeated, recordWithToken } from '../../support/confirmed-tokens';
import { REGISTER_CONSENT } from '../../support/consent-requests';
import { type ConsoleVisitor, backOffice } from '../../support/console-visitor';
import { type DataUser, customerToken, newCustomer, newDataUser } from '../../support/customers';
import type { OpenStream } from '../../support/event-source';
import { graphOf } from '../../support/graph';
import { registered } from '../../support/records';
import {
  MAX_REPEATS,
  accountOf,
  anonymousClient,
  persistent,
  signedInClient,
  tokenOf,
} from '../../support/rest-client';
import { logSettled } from '../../support/settled-log';
import { TRANSPORTS } from '../../support/subscriber';
import { until } from '../../support/until';

const IS_LONG = process.env['TEST_LONG'] !== undefined;
/** Kills of the process that writes, and of the gateway that resuming clients and the console use. */
const [CORE_KILLS, GATEWAY_KILLS] = IS_LONG ? [10, 20] : [2, 2];
/** Re-identification tokens that are being redeemed at each kill of the process that writes. */
const TOKENS = IS_LONG ? 60 : 16;
/** Minimum and maximum operations between two kills. */
const [MIN_BETWEEN, MAX_BETWEEN] = IS_LONG ? [100, 400] : [40, 80];
/** Operations permitted while a killed process restarts. */
const DURING_RESTART = 60;
/** Number of acknowledged requests that are repeated at the end. */
const REPEATS = IS_LONG ? 100 : 20;

jest.setTimeout(IS_LONG ? 1_800_000 : 600_000);

let fixture: KillsFixture;
beforeAll(async () => {
  fixture = await openKillsFixture();
});
afterAll(() => fixture?.close());

/**
 * A workload of all writers while processes are killed at random moments. Callers repeat a request without a response
 * with the same idempotency key. The invariants at the end:
 *
 * - registration: each acknowledged one exists once and complete: version, transition, one event;
 * - replacement, revocation, withdrawal: done once if acknowledged, never partly;
 * - repeat of a request: the same response, marked as a replay;
 * - registration with a token: the token is consumed if and only if its record exists;
 * - Interface B, and its update: one consent, linked to its Identity Record; no provisional record and no data key remain;
 * - anonymising: completed or rolled back, never together with an ACTIVE record;
 * - Change of Tenancy: recorded once, one event for each Data User;
 * - discovered access: one record for each report;
 * - webhooks: every event is delivered, twice only if it was in flight at a kill, with the same bytes;
 * - log and subscriptions: every event once and in order, for clients that resume at both gateways by both transports;
 * - live page of the console: it continues after its last event when its gateway is killed.
 */
describe('A register with all writers while processes are killed', () => {
  let by: Writers;
  let acknowledged: Acknowledged;
  let receiver: Receiver;
  let deliveries: WatchedDeliveries;
  let initiator: DataUser;
  let pageUser: DataUser;
  let pageIr: string;
  let visitor: ConsoleVisitor;
  let stream: OpenStream;
  let first: string;
  const rows: Writers['rows'] = async <Row>(text: string, values?: unknown[]) =>
    (await fixture.owner.query(text, values)).rows as Row[];
  const clients: ResumingClient[] = [];
  const tokens: string[] = [];
  /** Tokens that are not used while processes are killed. */
  let spare: string[] = [];
  const redeemed = new Set<string>();
  const seenByPage: number[][] = [];

  beforeAll(async () => {
    const { register, core } = fixture;
    const token = await tokenOf(register, 'data_user');
    const dataUser = anonymousClient(register.rest, `Bearer ${token}`);
    const duid = accountOf(register.sandbox, 'data_user').duid as string;
    const enroller = { name: '', duid, rest: dataUser, token, returnUrl: '' };
    const customer = await newCustomer(enroller);
    by = {
      ...{ dataUser, duid, customer, rows },
      asDataUser: graphOf(register, token),
      asOperator: graphOf(register, await tokenOf(register, 'communications_operator')),
      operator: await signedInClient(register, 'communications_operator'),
      asCustomer: graphOf(register, await customerToken(register, customer)),
      running: core.running,
    };
    initiator = await newDataUser(register, 'https://second.example/return');
    tokens.push(
      ...(await confirmedTokens(register, initiator, await newCustomer(enroller), TOKENS * (CORE_KILLS + 1))),
    );
    spare = tokens.splice(TOKENS * CORE_KILLS);
    pageUser = await newDataUser(register, 'https://third.example/return');
    pageIr = (await newCustomer(pageUser)).ir;
    visitor = await backOffice(register);
    await logSettled(fixture.owner); // the page begins after the customer's own record
    stream = await visitor.watch(`duid=${pageUser.duid}`);
    receiver = await startReceiver(() => ({ status: 204, after: randomInt(20) }));
    deliveries = await watchDeliveries([dataUser, duid], receiver, ['/first', '/second'], rows);
    await followLog();
    await killAll();
  });
  afterAll(async () => {
    stream?.close();
    await Promise.all(clients.map((client) => client.stop()));
    await receiver?.close();
  });

  const redeem = (token: string, rest = initiator.rest) =>
    rest('POST', '/v1/access-records', recordWithToken(token, token));

  /** Checks that each redeemed token has one record; redeems all tokens again and returns the results. */
  async function redeemedAgain(all: readonly string[], succeeded: ReadonlySet<string>) {
    const found = await rows<{ purpose: string }>(
      `select document->>'purpose' as purpose from access.access_record where document->>'purpose' = any($1)`,
      [all],
    );
    const recorded = found.map(({ purpose }) => purpose);
    expect([...succeeded].filter((token) => !recorded.includes(token))).toEqual([]);
    expect(new Set(recorded).size).toBe(recorded.length);
    const rest = persistent(initiator.rest, MAX_REPEATS);
    const again = await repeated(all.length, async (number) => codeOf(await redeem(all[number] as string, rest)));
    return { again, expected: all.map((token) => (recorded.includes(token) ? '400 VAL009' : '201')) };
  }

  /** Starts clients at the gateway that is never killed and at the one that is. */
  async function followLog(): Promise<void> {
    const { register, owner, replicaUrl } = fixture;
    const admin = await tokenOf(register, 'admin');
    await logSettled(owner);
    const { data } = await graphOf(register, admin)('{ latestRegisterEvents(first: 1) { id cursor } }');
    const [{ id, cursor }] = data.latestRegisterEvents;
    first = id;
    for (const gateway of [register.gateway, replicaUrl]) {
      for (const [, subscribe] of TRANSPORTS) clients.push(resumingClient(subscribe, gateway, admin, cursor));
    }
  }

  async function killAll(): Promise<void> {
    const writing = startWriting(by);
    acknowledged = writing.acknowledged;
    const some = async (count: number) => {
      const enough = writing.operations() + count;
      writing.allow(enough + DURING_RESTART);
      await until(() => writing.operations() >= enough || undefined, 120_000);
    };
    const kills = [
      ...Array.from({ length: CORE_KILLS }, (_, index) => () => killWhileRedeeming(index)),
      ...Array.from({ length: GATEWAY_KILLS }, () => killBehindPage),
    ].toSorted(() => Math.random() - 0.5);
    for (const kill of kills) {
      await some(randomInt(MIN_BETWEEN, MAX_BETWEEN));
      await kill();
    }
    await some(20); // after the last kill
    await writing.stop();
    await deliveries.done();
  }

  /**
   * Kills the writing process (SIGKILL) while tokens are redeemed and all other writers run. Some are redeemed before; the
   * others follow when the deliveries in flight are noted, few at once, and the first response to one of them is the moment of the kill.
   */
  async function killWhileRedeeming(index: number): Promise<void> {
    const batch = tokens.slice(index * TOKENS, (index + 1) * TOKENS);
    const redeemNumber = async (number: number, from: readonly string[]) => {
      const token = from[number] as string;
      const response = await redeem(token).catch(() => undefined);
      if (response?.status === 201) redeemed.add(token);
    };
    const killAfter = randomInt(TOKENS / 4, TOKENS / 2);
    const [earlier, atKill] = [batch.slice(0, killAfter), batch.slice(killAfter)];
    await repeated(earlier.length, (number) => redeemNumber(number, earlier));
    const before = redeemed.size;
    let redeeming: Promise<unknown> = Promise.resolve();
    await deliveries.noteInFlight(async () => {
      const firstEnded = new Promise<void>((resolve) => {
        redeeming = repeated(atKill.length, (number) => redeemNumber(number, atKill).finally(resolve), TOKENS / 4);
      });
      await firstEnded;
      await killCore(fixture);
    });
    await redeeming;
    expect(redeemed.size - before).toBeLessThan(atKill.length);
    await fixture.core.start();
  }

  /** Kills the gateway of the live page (SIGKILL); three events occur while it is down. */
  async function killBehindPage(): Promise<void> {
    const rowsBefore = arrivals(stream)[0];
    const shown = async (count: number) => {
      await stream.next('events', () => arrivals(stream)[0] >= rowsBefore + count);
    };
    // The state, not a change: a kill of the writing process may have left the page without figures.
    const connection = (is: boolean) =>
      until(() => {
        const last = stream.messages.findLast(({ event }) => event === 'connection');
        return last?.data.isConnected === is || undefined;
      });
    await connection(true);
    await registered(pageUser.rest, pageIr);
    await shown(1);
    await fixture.replica.kill();
    await connection(false);
    for (let count = 0; count < 3; count++) await registered(pageUser.rest, pageIr);
    await fixture.replica.start();
    await connection(true);
    await shown(4);
    await registered(pageUser.rest, pageIr);
    await shown(5);
    seenByPage.push(arrivals(stream));
  }

  it('has every acknowledged registration and every end of one, once and complete', async () => {
    expect(acknowledged.registered.length).toBeGreaterThan(0);
    expect(await recordsOf(rows, 'Registered')).toEqual(recordsExpected(acknowledged));
    const verify = anonymousClient(fixture.register.rest);
    const states = await repeated(acknowledged.registered.length, async (number) => {
      const { ak, end } = acknowledged.registered[number] as Acknowledged['registered'][number];
      const { status, body } = await verify('GET', `/v1/access-records/${ak}`);
      return [end, status, body['access-record']?.['access-event'].state].join(' ');
    });
    const ends = acknowledged.registered.map(({ end }) => end);
    expect(states).toEqual(
      ends.map((end) => `${end} 200 ${['ACTIVE', 'replaced'].includes(end) ? 'ACTIVE' : 'REVOKED'}`),
    );
  });

  it('has no incomplete operation, and one event for each change', async () => {
    const counts = await halfDone(rows);
    expect(counts).toEqual(Object.fromEntries(Object.keys(counts).map((name) => [name, 0])));
  });

  it('returns the stored response to a repeat with the same Idempotency-Key', async () => {
    for (const { ak, body, key } of acknowledged.registered.slice(-REPEATS)) {
      const repeat = await by.dataUser('POST', '/v1/access-records', body, { 'idempotency-key': key });
      const response = [repeat.status, repeat.body['access-token'].key, repeat.headers.get('idempotency-replayed')];
      expect(response).toEqual([201, ak, 'true']);
    }
    for (const { ck, repeat } of acknowledged.consented.slice(-REPEATS)) {
      const { data } = await by.asDataUser(REGISTER_CONSENT, repeat);
      expect(data.registerConsent).toMatchObject({ replayed: true, consentToken: { key: ck } });
    }
    expect(await recordsOf(rows, 'Registered')).toEqual(recordsExpected(acknowledged));
  });

  it('has redeemed a token if and only if its record exists', async () => {
    const { again, expected } = await redeemedAgain(tokens, redeemed);
    expect(again).toEqual(expected);
  });

  it('redeems a token if and only if its record exists, also when its database sessions are terminated', async () => {
    const [succeeded, failed] = [new Set<string>(), new Set<string>()];
    const steps = heldSteps(fixture);
    await steps.hold('lock table access.consumed_token in exclusive mode'); // registrations wait in the middle of it
    const redeeming = repeated(spare.length, async (number) => {
      const token = spare[number] as string;
      ((await redeem(token)).status === 201 ? succeeded : failed).add(token);
    });
    await until(async () => {
      const terminated = await rows(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'active'
           and wait_event_type = 'Lock' and query like '%consumed_token%' and pid <> pg_backend_pid()`,
      );
      return terminated.length === 0 ? undefined : true;
    });
    await steps.release();
    await redeeming;
    expect(failed.size).toBeGreaterThan(0);
    const { again, expected } = await redeemedAgain(spare, succeeded);
    expect(again).toEqual(expected);
  });

  it('has every consent of Interface B once, with its updates', async () => {
    expect(acknowledged.consented.length).toBeGreaterThan(0);
    const verify = anonymousClient(fixture.register.rest);
    for (const { ck } of acknowledged.consented) {
      const { status, body } = await verify('GET', `/v1/access-records/${ck.replace('ck_', 'ak_')}`);
      expect([status, body['access-record']?.['access-event'].state]).toEqual([200, 'ACTIVE']);
    }
    const [made] = await rows<{ records: number; versions: number }>(
      `select count(distinct r.id)::int as records, count(v)::int as versions from access.access_record r
       join access.access_record_version v on v.record_id = r.id where is_legacy and duid = $1 and r.reference_sealed is not null`,
      [by.duid],
    );
    expect(made).toEqual({
      records: acknowledged.consented.length,
      versions: acknowledged.consented.reduce((sum, { versions }) => sum + versions, 0),
    });
  });

  it('has anonymised an Identity Record completely or not at all, never one with an ACTIVE record', async () => {
    expect(acknowledged.anonymised.length).toBeGreaterThan(0);
    const irs = acknowledged.anonymised.map(({ ir }) => ir);
    expect(await standings(rows, irs)).toEqual(standingsExpected(acknowledged.anonymised));
  });

  it('has recorded every Change of Tenancy once, with one event', async () => {
    expect(acknowledged.changes.length).toBeGreaterThan(0);
    expect(await changesOn(rows, DAY_OF_CHANGES)).toEqual(
      acknowledged.changes.map(() => ({ announced: true, events: 1 })),
    );
  });

  it('has one record of each discovered access', async () => {
    const found = await rows<{ name: string }>(
      `select document->'discoveredAccess'->>'organisationName' as name from access.access_record
       where document->'discoveredAccess'->>'organisationName' like 'Discovered %'`,
    );
    expect(found.map(({ name }) => name).toSorted()).toEqual([...acknowledged.discovered.keys()].toSorted());
    expect(new Set(acknowledged.discovered.values()).size).toBe(found.length);
  });

  it('has delivered every event to every webhook, twice only if it was in flight at a kill, always with the same bytes', async () => {
    expect(receiver.received.length).toBeGreaterThan(0);
    expect(await deliveries.missing()).toEqual([]);
    expect(deliveries.doubled()).toEqual([]);
    expect(deliveries.changed()).toEqual([]);
  });

  it('has sent every event once and in order, at both gateways, to clients that resume after their last cursor', async () => {
    const logged = (await rows<{ id: string }>('select id from access.event order by era, tx, position')).map(
      ({ id }) => id,
    );
    const expected = logged.slice(logged.indexOf(first) + 1);
    await until(() => clients.every(({ events }) => events.length >= expected.length) || undefined);
    for (const { events } of clients) expect(events).toEqual(expected);
    expect(Math.min(...clients.slice(2).map((client) => client.resumed()))).toBeGreaterThanOrEqual(GATEWAY_KILLS);
  });

  it('has continued a live page after its last event: none is missing, none is duplicated', () => {
    expect(seenByPage).toEqual(seenByPage.map((_, index) => [5 * (index + 1), 5 * (index + 1)]));
    expect(seenByPage).toHaveLength(GATEWAY_KILLS);
  });
});

describe('A process that is killed at an exact step', () => {
  heldStepKills(() => fixture);
});

describe('The shutdown of the console', () => {
  it('does not wait for open pages: their streams end immediately', async () => {
    const page = await (await backOffice(fixture.register)).watch();
    await page.next('connection', ({ data }) => data.isConnected);
    const stopped = fixture.console.stop();
    const last = await Promise.race([page.ended.then(() => 'stream'), stopped.then(() => 'console')]);
    expect(last).toBe('stream');
    expect(await stopped).not.toMatch(/error|fatal/i);
  });
});

/** Returns the number of rows that a stream has sent, and the number of distinct events. */
function arrivals({ messages }: OpenStream): [rows: number, events: number] {
  const rows = messages.flatMap(({ event, data }) =>
    event === 'events' ? [...String(data.html).matchAll(/data-event="(\w+)"/g)].map(([, id]) => id) : [],
  );
  return [rows.length, new Set(rows).size];
}
