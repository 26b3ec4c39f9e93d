import pino from 'pino';
import { Registry } from 'prom-client';
import { readSettings } from '../../process/settings';
import type { RunningSubgraph } from '../../subgraphs/server/running-subgraph';
import { LOOKS_AT_ONCE } from '../../subgraphs/tariffs/database/effect.repository';
import { mpxnVault } from '../../subgraphs/tariffs/database/mpxn-vault';
import { startTariffs } from '../../subgraphs/tariffs/tariffs';
import { trf } from '../support/tariff-graph';
import { type TariffEventRoom, told, tariffEventRoom } from '../support/tariff-event-room';
import { until } from '../support/until';

/** So many that they take three transactions. */
const MANY = 2 * LOOKS_AT_ONCE + 200;
const MPXNS = Array.from({ length: MANY }, (_, index) => String(2_000_000_000 + index));
const DAY = 86_400;

const ofReplica = new Registry();
let room: TariffEventRoom;
let replica: RunningSubgraph;
beforeAll(async () => {
  room = await tariffEventRoom();
  const { url, keys } = room;
  replica = await startTariffs({
    databaseUrl: url,
    keys,
    logger: pino({ level: 'silent' }),
    production: false,
    rateLimitsOff: true,
    limits: readSettings({}).limits,
    webhookAllowLoopback: true,
    metrics: ofReplica,
  });
});
afterAll(async () => {
  await replica?.close();
  await room?.close();
});

/** Steps of many MPxNs to a tariff, written as the application writes them. */
async function assignMany(number: number): Promise<void> {
  const stored = MPXNS.map((mpxn) => mpxnVault(room.keys).hash(mpxn));
  await room.owner.query(
    `insert into tariff_step (mpxn_hash, valid_from, tariff_id, mpid, account_id)
     select hash, date_trunc('milliseconds', register_now()), $2, 'LAPW', 'acc' from unnest($1::bytea[]) hash`,
    [stored, trf(number)],
  );
}

const countsOf = async (type: string, tariff: number) => {
  const { rows } = await room.owner.query<{ events: number; mpxns: number }>(
    'select count(*)::int as events, count(distinct mpxn_hash)::int as mpxns from event where type = $1 and tariff_id = $2',
    [type, trf(tariff)],
  );
  return rows[0];
};

/**
 * Moves the clock on, and ends the session that tells of MPxNs when it has come to the lane of a certain one: so many have been before it,
 * some of them in a step that is committed.
 */
async function killedBefore(_: string, before: number): Promise<void> {
  const hashes = MPXNS.map((mpxn) => mpxnVault(room.keys).hash(mpxn)).toSorted(Buffer.compare);
  const blocker = await room.owner.connect();
  await blocker.query('begin');
  await blocker.query('select from delivery_lane where subject = $1 for update', [hashes[before]?.toString('hex')]);
  await room.moveClock(DAY + 60);
  await killWriter();
  const { rows } = await room.owner.query<{ reached: Buffer | null }>(
    "select reached from tariff_effect where kind = 'replacement' and done_at is null",
  );
  expect(rows).toEqual([{ reached: before === 0 ? null : hashes[LOOKS_AT_ONCE - 1] }]);
  await blocker.query('commit');
  blocker.release();
}

/** Ends the session that waits to write events. */
const killWriter = () =>
  until(async () => {
    const { rowCount } = await room.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into event%'`,
    );
    return rowCount === 0 ? undefined : true;
  });

describe('What concerns many MPxNs, done by two processes', () => {
  it('happens in steps, each once, whoever is killed in the middle: one event and one delivery of each MPxN', async () => {
    const participant = await room.participant({ mpxns: MPXNS });
    await room.consent(participant.caller);
    await room.webhook(participant.caller, '/many');
    await assignMany(1);
    await room.posts(MANY, '/many');
    expect(await countsOf('tariff.change', 1)).toEqual({ events: MANY, mpxns: MANY });
    await room.publish(70, { replaces: trf(1), validFrom: new Date(Date.now() + DAY * 1_000).toISOString() });
    await killedBefore('the first step', 0);
    await killedBefore('the second step is over', LOOKS_AT_ONCE + 100);
    await until(async () => ((await countsOf('tariff.update', 70))?.events === MANY ? true : undefined));
    await room.settled();
    const posts = told(await room.posts(2 * MANY, '/many'));
    expect(await countsOf('tariff.update', 70)).toEqual({ events: MANY, mpxns: MANY });
    expect(posts).toHaveLength(2 * MANY);
    const updated = posts.filter(({ type }) => type === 'tariff.update').map(({ mpxn }) => mpxn);
    expect(updated.toSorted()).toEqual(MPXNS);
    await room.setStatus(participant, 'REMOVED');
    const all = told(await room.posts(3 * MANY, '/many'));
    await room.settled();
    expect(room.receiver.received).toHaveLength(3 * MANY);
    expect(new Set(all.filter(({ type }) => type === 'consent.revoked').map(({ mpxn }) => mpxn))).toEqual(
      new Set(MPXNS),
    );
  }, 120_000);

  it('ends many consents in steps, each once', async () => {
    await room.suppliers('FELL');
    const participant = await room.participant({ mpid: 'FELL' });
    await room.webhook(participant.caller, '/consents');
    await room.owner.query(
      `with consent as (
         insert into tariff_consent (id, mpid, user_id, subject_hash)
         select gen_random_uuid(), 'FELL', $1, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
         from generate_series(1, ${MANY}) returning id)
       insert into consent_meter_point (consent_id, mpxn_hash) select id, (select mpxn_hash from meter_point limit 1) from consent`,
      [participant.userId],
    );
    await room.setStatus(participant, 'REMOVED');
    await room.posts(MANY, '/consents');
    await room.settled();
    expect(await room.posts(MANY, '/consents')).toHaveLength(MANY);
    const { rows } = await room.owner.query(
      `select count(*)::int as ended, count(distinct revoked_at)::int as instants from tariff_consent
       where user_id = $1 and revoked_by = 'rti_user_removed'`,
      [participant.userId],
    );
    expect(rows).toEqual([{ ended: MANY, instants: 1 }]);
  }, 60_000);
});

/** First attempts so far by both processes, and those within an hour of the effect. */
async function firstAttempts(): Promise<{ all: number; withinAnHour: number }> {
  const texts = await Promise.all([room.metrics, ofReplica].map((registry) => registry.metrics()));
  const sum = (line: RegExp) => texts.reduce((total, text) => total + Number(line.exec(text)?.[1] ?? 0), 0);
  return {
    all: sum(/^register_tariff_event_delay_seconds_count\{held="false"\} (\d+)$/m),
    withinAnHour: sum(/^register_tariff_event_delay_seconds_bucket\{le="3600",held="false"\} (\d+)$/m),
  };
}

describe('The time from an effect to the first attempt', () => {
  it('is measured against the hour that it may take, and so is what is due and was not told', async () => {
    const before = await firstAttempts();
    const participant = await room.participant({ mpxns: ['1900000000'] });
    await room.consent(participant.caller);
    await room.webhook(participant.caller, '/soon');
    await room.assign('1900000000', 1);
    await room.posts(1, '/soon');
    await room.settled();
    expect(await firstAttempts()).toEqual({ all: before.all + 1, withinAnHour: before.withinAnHour + 1 });
    const text = await room.metrics.metrics();
    expect(text).toMatch(/^register_tariff_effect_overdue_seconds 0$/m);
    expect(text).toMatch(/^tariff_event_log_standstill_seconds \d/m);
    expect(text).toMatch(/^tariff_deliveries_pending 0$/m);
  });

  it('counts from the effect, not from when it was written down', async () => {
    const before = await firstAttempts();
    const participant = await room.participant({ mpxns: ['1900000001'] });
    await room.consent(participant.caller);
    await room.webhook(participant.caller, '/late');
    await room.owner.query(
      `insert into event (type, occurred_at, mpid, mpxn_hash, tariff_id)
       values ('tariff.change', register_now() - interval '2 hours', 'LAPW', $1, $2)`,
      [mpxnVault(room.keys).hash('1900000001'), trf(1)],
    );
    await room.posts(1, '/late');
    expect(await firstAttempts()).toEqual({ all: before.all + 1, withinAnHour: before.withinAnHour });
  });
});
