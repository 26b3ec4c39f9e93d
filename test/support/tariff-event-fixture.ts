import { Registry } from 'prom-client';
import { Webhook } from 'standardwebhooks';
import type { Caller } from '../../subgraphs/server/callers/caller';
import { ADVISORY_LOCKS } from '../../subgraphs/server/database/advisory-locks';
import { openDatabase } from '../../subgraphs/server/database/database';
import { databaseAddress } from '../../subgraphs/server/database/database-login';
import { MAX_CLOCK_SKEW_MS } from '../../schema/consumer-claims';
import { ScheduledChangeRepository } from '../../subgraphs/tariffs/events/scheduled-change.repository';
import {
  ADMIN,
  ASSIGN,
  CONSUMER_ISSUER,
  PUBLISH,
  type TariffGraph,
  supplierOf,
  tariffGraph,
  tariffInput,
  trf,
} from './tariff-graph';
import { until } from './until';
import { type ReceivedPost, type WebhookReceiver, webhookReceiver } from './webhook-receiver';

/** Maximum milliseconds until thousands of events have arrived, also on a busy machine. */
const LONGEST = 50_000;

/** An RTI User at a supplier, for one consumer. */
export interface Participant {
  readonly userId: string;
  readonly caller: Caller;
}

/** A registered webhook. */
export interface TestWebhook {
  readonly webhookId: string;
  readonly signingSecret: string;
  readonly isNew: boolean;
}

/**
 * The subgraph `tariffs` with a receiver of webhooks, the supplier LAPW and its tariffs 1 to 9. Functions that wait for
 * events apply the due changes, as the sweep of the subgraph does each second.
 */
export interface TariffEventFixture extends TariffGraph {
  readonly receiver: WebhookReceiver;
  readonly metrics: Registry;
  /** Creates an RTI User, which calls a supplier for a consumer; a test may change every claim of its token. */
  participant(change?: Partial<Participation>): Promise<Participant>;
  /** Returns the caller of an RTI User with another token. */
  with(participant: Participant, change: Partial<Participation>): Caller;
  consent(caller: Caller): Promise<{ registrationId: string; isNew: boolean; tariffs: unknown[] }>;
  webhook(caller: Caller, path?: string): Promise<TestWebhook>;
  /** Publishes a tariff. */
  publish(number: number, change?: Record<string, unknown>, mpid?: string): Promise<string>;
  /** Assigns a tariff from an instant on, seconds from the register's now. */
  assign(mpxn: string, number: number, inSeconds?: number, mpid?: string): Promise<void>;
  setStatus(of: { userId: string } | { mpid: string }, status: string): Promise<void>;
  /** Returns the time of the register's clock. */
  now(): Promise<Date>;
  /** Waits for a number of POSTs to a path, and returns them. */
  posts(count: number, path?: string): Promise<readonly ReceivedPost[]>;
  /** Applies all due changes, and waits until every due delivery is sent. */
  settled(): Promise<void>;
  /** Applies all due changes, and then moves the register's clock. */
  moveOn(seconds: number): Promise<void>;
  /** Returns the events of a supplier in the log, oldest first. */
  logged(
    mpid?: string,
  ): Promise<{ type: string; at: string; mpxn: string | null; tariff: { tariffId: string } | null }[]>;
}

/** Runs work while due changes wait: their effects and events are recorded after it. */
export async function beforeChangesAreApplied(
  { owner }: Pick<TariffEventFixture, 'owner'>,
  work: () => Promise<unknown>,
): Promise<void> {
  const blocker = await owner.connect();
  await blocker.query('begin');
  await blocker.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.effects]);
  await work();
  await blocker.query('commit');
  blocker.release();
}

/** The claims of a token. */
export interface Participation {
  readonly mpid: string;
  readonly issuer: string;
  readonly subject: string;
  readonly mpxns: readonly string[];
  readonly scopes: readonly string[];
  /**
   * Default: a minute after the register's time, rounded up, when the test creates the caller. The register subtracts this minute, because the
   * clock of an issuer may be ahead.
   */
  readonly issuedAt: Date;
}

const ALL: Omit<Participation, 'issuedAt'> = {
  mpid: 'LAPW',
  issuer: CONSUMER_ISSUER,
  subject: 'consumer-1',
  mpxns: ['1012345678'],
  scopes: ['tariff:read', 'consent:write', 'webhook:write'],
};

/** Returns the bodies of POSTs as objects. */
export const bodiesOf = (posts: readonly ReceivedPost[]): ReturnType<typeof JSON.parse>[] =>
  posts.map(({ body }) => JSON.parse(body));

/** Returns whether a POST is signed with a secret (Standard Webhooks). */
export function isSigned({ body, headers }: ReceivedPost, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

const SAVE_USER = `mutation ($input: RtiUserInput!) { saveRtiUser(input: $input) { rtiUser { userId } } }`;
const GIVE = 'mutation { giveTariffConsent { registrationId isNew tariffs { mpxn tariffId } } }';
const REGISTER = 'mutation ($url: String!) { registerRtiWebhook(webhookUrl: $url) { webhookId signingSecret isNew } }';
const LOG = `query ($mpid: String) { tariffEvents(first: 500, filter: { mpid: $mpid }) { nodes { type at mpxn tariff { tariffId } } } }`;
/**
 * Counts work that is due. A statement of another session may commit between the start of this one, which is `register_now()`, and its
 * snapshot: what became due meanwhile counts, too.
 */
const DUE = `with clock as (select register_now() + (clock_timestamp() - statement_timestamp()) as now)
  select
    (select count(*) from tariff_effect, clock where done_at is null and cancelled_at is null and due_at <= clock.now)
    + (select count(*) from fanout)
    + (select count(*) from delivery_endpoint, clock where leased_by is not null or due_at <= clock.now) as due`;

/** Starts the subgraph and its receiver. */
export async function tariffEventFixture(): Promise<TariffEventFixture> {
  const metrics = new Registry();
  const graph = await tariffGraph(undefined, metrics);
  const receiver = await webhookReceiver();
  const { execute, owner } = graph;
  let clockOffset = 0;
  const moveClock = async (seconds: number) => {
    await graph.moveClock(seconds);
    clockOffset = seconds;
  };
  const callerOf = (userId: string, change: Partial<Participation>): Caller => {
    const issuedAt = new Date(Date.now() + clockOffset * 1_000 + MAX_CLOCK_SKEW_MS + 1);
    const { mpid, ...claimed } = { ...ALL, issuedAt, ...change };
    return { accountId: userId, role: 'consumer', duid: null, mpid, consumer: { userId, ...claimed } };
  };
  const publish: TariffEventFixture['publish'] = async (number, change = {}, mpid = 'LAPW') => {
    await execute(PUBLISH, { input: tariffInput(number, change) }, supplierOf(mpid));
    return trf(number);
  };
  const now = async () => (await owner.query<{ now: Date }>('select register_now() as now')).rows[0]?.now as Date;
  const worker = openDatabase(databaseAddress(graph.url, 'tariffs', graph.keys.hashKey));
  const changes = new ScheduledChangeRepository(worker.pool);
  // The next poll repeats a failed change, as the sweep does.
  const apply = () => changes.applyDue(() => undefined).catch(() => false);
  const settled = async () => {
    await until(async () => {
      await apply();
      return (await owner.query(DUE)).rows[0].due === '0' ? true : undefined;
    }, LONGEST);
  };
  await graph.suppliers('LAPW');
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9]) await publish(number);
  return {
    ...graph,
    ...{ receiver, metrics, publish, now, moveClock },
    async participant(change = {}) {
      const input = { name: 'Curlew Insight Ltd', displayName: 'Curlew', support: 'help@curlew.example' };
      const { userId } = (await execute(SAVE_USER, { input }, ADMIN)).saveRtiUser.rtiUser;
      return { userId, caller: callerOf(userId, change) };
    },
    with: ({ userId }, change) => callerOf(userId, change),
    consent: async (caller) => (await execute(GIVE, {}, caller)).giveTariffConsent,
    webhook: async (caller, path = '/hook') =>
      (await execute(REGISTER, { url: new URL(path, receiver.url).href }, caller)).registerRtiWebhook,
    async assign(mpxn, number, inSeconds = 0, mpid = 'LAPW') {
      const from = new Date((await now()).getTime() + inSeconds * 1_000).toISOString();
      // The start of an immediate assignment is past when it arrives: only an admin may record it for a meter point of
      // another supplier.
      await execute(ASSIGN, { mpxn, tariffId: trf(number), from }, inSeconds > 0 ? supplierOf(mpid) : ADMIN);
    },
    async setStatus(of, status) {
      const set =
        'userId' in of
          ? 'mutation ($id: String!, $status: RegisterEntryStatus!) { setRtiUserStatus(userId: $id, status: $status) { status } }'
          : 'mutation ($id: String!, $status: RegisterEntryStatus!) { setSupplierStatus(mpid: $id, status: $status) { status } }';
      await execute(set, { id: 'userId' in of ? of.userId : of.mpid, status }, ADMIN);
    },
    posts: (count, path = '/hook') =>
      until(async () => {
        await apply();
        const arrived = receiver.received.filter((post) => post.path === path);
        return arrived.length >= count ? arrived : undefined;
      }, LONGEST),
    settled,
    async moveOn(seconds) {
      await settled();
      await moveClock(seconds);
    },
    logged: async (mpid = 'LAPW') => (await execute(LOG, { mpid }, supplierOf(mpid))).tariffEvents.nodes,
    close: async () => {
      await worker.close();
      await graph.close();
      await receiver.close();
    },
  };
}
