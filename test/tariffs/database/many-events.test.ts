import { Registry } from 'prom-client';
import { ADVISORY_LOCKS } from '../../../subgraphs/server/database/advisory-locks';
import type { RunningSubgraph } from '../../../subgraphs/server/graph/running-subgraph';
import { MAX_MPXNS } from '../../../subgraphs/tariffs/events/change-handlers.repository';
import { applyAllDue } from '../../../subgraphs/tariffs/events/scheduled-change.module';
import {
  type ApplyOutcome,
  ScheduledChangeRepository,
} from '../../../subgraphs/tariffs/events/scheduled-change.repository';
import { mpxnCipher } from '../../../subgraphs/tariffs/occupancies/mpxn-cipher.repository';
import { directlyEncrypted } from '../../support/directly-encrypted';
import { untilOneWaits } from '../../support/lock-waiters';
import { type Planning, rowsRead } from '../../support/rows-read';
import {
  type TariffEventFixture,
  beforeChangesAreApplied,
  bodiesOf,
  tariffEventFixture,
} from '../../support/tariff-event-fixture';
import { ADMIN, startReplica, supplierOf, trf } from '../../support/tariff-graph';
import { fanOutAll } from '../../support/event-rows';
import { until } from '../../support/until';

/** The long form changes more MPxNs than one statement can change within its time limit. */
const IS_LONG = process.env['TEST_LONG'] !== undefined;
/** Number of MPxNs: more than one transaction changes. */
const MANY = IS_LONG ? 2 * MAX_MPXNS + 200 : MAX_MPXNS + 200;
const MPXNS = Array.from({ length: MANY }, (_, index) => String(2_000_000_000 + index));
const DAY = 86_400;

const ofReplica = new Registry();
const REVOKE = 'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }';
const REMOVE_WEBHOOK = 'mutation ($id: String!) { removeRtiWebhook(webhookId: $id) { webhookId } }';
const CUSTOMER = '{ customerTariffs { tariffId } }';

let next = 0;
let published = 50;
let fixture: TariffEventFixture;
let replica: RunningSubgraph;

/** Assigns many MPxNs to a tariff, by the statements of the application. */
async function assignMany(number: number): Promise<void> {
  const stored = MPXNS.map((mpxn) => mpxnCipher(fixture.keys).hash(mpxn));
  await fixture.owner.query(
    `insert into tariff_step (mpxn_hash, valid_from, tariff_id, mpid, account_id)
     select hash, date_trunc('milliseconds', register_now()), $2, 'LAPW', 'acc' from unnest($1::bytea[]) hash`,
    [stored, trf(number)],
  );
}

const countsOf = async (type: string, tariff: number) => {
  const { rows } = await fixture.owner.query<{ events: number; mpxns: number }>(
    'select count(*)::int as events, count(distinct mpxn_hash)::int as mpxns from event where type = $1 and tariff_id = $2',
    [type, trf(tariff)],
  );
  return rows[0];
};

/**
 * Moves the clock forwards, and ends the session that writes the events when it reaches the lane of one MPxN. It has
 * written the events of `before` MPxNs by then, some of them in a committed batch.
 */
async function killedBefore(_: string, before: number): Promise<void> {
  const hashes = MPXNS.map((mpxn) => mpxnCipher(fixture.keys).hash(mpxn)).toSorted(Buffer.compare);
  const blocker = await fixture.owner.connect();
  await blocker.query('begin');
  await blocker.query('select pg_advisory_xact_lock(4242)');
  await fixture.owner.query(`
    create or replace function hold_subject() returns trigger language plpgsql as $$ begin
      if new.subject = '${hashes[before]?.toString('hex')}' then perform pg_advisory_xact_lock(4242); end if;
      return new;
    end $$;
    create or replace trigger hold_subject before insert on fanout for each row execute function hold_subject()`);
  await fixture.moveClock(DAY + 60);
  await killWriter();
  const { rows } = await fixture.owner.query<{ reached: Buffer | null }>(
    "select reached from tariff_effect where kind = 'replacement' and done_at is null",
  );
  expect(rows).toEqual([{ reached: before === 0 ? null : hashes[MAX_MPXNS - 1] }]);
  await fixture.owner.query('drop trigger hold_subject on fanout');
  await blocker.query('commit');
  blocker.release();
}

/** Ends the session that waits for the lock of the events. */
const killWriter = () =>
  until(async () => {
    const { rowCount } = await fixture.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into event%'`,
    );
    return rowCount === 0 ? undefined : true;
  });

const freshMpxn = () => String(1_700_000_000 + ++next);
const typesAt = (path: string) =>
  bodiesOf(fixture.receiver.received.filter((post) => post.path === path)).map(({ type }) => type);

/** Inserts meter points; returns the hashes of their MPxNs. */
async function meterPoints(count: number): Promise<Buffer[]> {
  const kept = Array.from({ length: count }, () => directlyEncrypted(fixture.keys, freshMpxn()));
  const values = [kept.map(({ hash }) => hash), kept.map(({ sealed }) => sealed)];
  await fixture.owner.query('insert into meter_point select * from unnest($1::bytea[], $2::bytea[])', values);
  return kept.map(({ hash }) => hash);
}

/** Inserts consents at LAPW for `each` MPxNs; returns the ids of the registrations. */
async function consents(userId: string, hashes: readonly Buffer[], each: number): Promise<string[]> {
  const { rows } = await fixture.owner.query<{ id: string }>(
    `insert into tariff_consent (id, mpid, user_id, subject_hash)
     select gen_random_uuid(), 'LAPW', $1, sha256(convert_to($1 || number, 'utf8')) from generate_series(1, $2::integer) number
     returning id`,
    [userId, Math.ceil(hashes.length / each)],
  );
  const ids = rows.map(({ id }) => id);
  await fixture.owner.query(
    'insert into consent_meter_point (consent_id, mpxn_hash) select * from unnest($1::uuid[], $2::bytea[])',
    [hashes.map((_, index) => ids[Math.floor(index / each)]), hashes],
  );
  return ids;
}

/** Creates an RTI User with a consent for an MPxN, whose events arrive at a path. */
async function follower(path: string, mpxn = freshMpxn()) {
  const participant = await fixture.participant({ mpxns: [mpxn] });
  const { registrationId } = await fixture.consent(participant.caller);
  await fixture.webhook(participant.caller, path);
  return { ...participant, mpxn, registrationId };
}

const revokedOf = async (userId: string) => {
  const { rows } = await fixture.owner.query<{ events: number; mpxns: number }>(
    `select count(*)::int as events, count(distinct mpxn_hash)::int as mpxns
     from event join tariff_consent on tariff_consent.id = consent_id where type = 'consent.revoked' and user_id = $1`,
    [userId],
  );
  return rows[0];
};
const done = (kind: string) =>
  until(async () => {
    const { rowCount } = await fixture.owner.query(
      'select from tariff_effect where kind = $1 and done_at is null and cancelled_at is null',
      [kind],
    );
    return rowCount === 0 ? true : undefined;
  });

/**
 * Returns how many events of a type were written after the change of an MPxN. Above 0, the change did not wait for all
 * of them, whatever the speed of the machine.
 */
const writtenAfter = async (mpxn: string, type: string) => {
  const { rows } = await fixture.owner.query<{ events: number }>(
    `select count(*)::int as events from event where type = $1
       and (era, tx) > (select era, tx from event where type = 'tariff.change' and mpxn_hash = $2)`,
    [type, mpxnCipher(fixture.keys).hash(mpxn)],
  );
  return rows[0]?.events;
};

describe('Two processes', () => {
  beforeAll(async () => {
    fixture = await tariffEventFixture();
    replica = await startReplica(fixture, { metrics: ofReplica });
  });
  afterAll(async () => {
    await replica?.close();
    await fixture?.close();
  });

  describe('a change of many MPxNs', () => {
    it('is applied in batches, each once, even if a process is killed: one event and one delivery per MPxN', async () => {
      const participant = await fixture.participant({ mpxns: MPXNS });
      await fixture.consent(participant.caller);
      await fixture.webhook(participant.caller, '/many');
      await assignMany(1);
      await fixture.posts(MANY, '/many');
      expect(await countsOf('tariff.change', 1)).toEqual({ events: MANY, mpxns: MANY });
      await fixture.publish(70, { replaces: trf(1), validFrom: new Date(Date.now() + DAY * 1_000).toISOString() });
      await killedBefore('the first step', 0);
      await killedBefore('the second step is over', MAX_MPXNS + 100);
      await until(async () => ((await countsOf('tariff.update', 70))?.events === MANY ? true : undefined));
      await fixture.settled();
      const posts = bodiesOf(await fixture.posts(2 * MANY, '/many'));
      expect(await countsOf('tariff.update', 70)).toEqual({ events: MANY, mpxns: MANY });
      expect(posts).toHaveLength(2 * MANY);
      const updated = posts.filter(({ type }) => type === 'tariff.update').map(({ mpxn }) => mpxn);
      expect(updated.toSorted()).toEqual(MPXNS);
      await fixture.setStatus(participant, 'REMOVED');
      const all = bodiesOf(await fixture.posts(3 * MANY, '/many'));
      await fixture.settled();
      expect(fixture.receiver.received).toHaveLength(3 * MANY);
      expect(new Set(all.filter(({ type }) => type === 'consent.revoked').map(({ mpxn }) => mpxn))).toEqual(
        new Set(MPXNS),
      );
    });

    it('revokes many consents in batches, each once', async () => {
      await fixture.suppliers('FELL');
      const participant = await fixture.participant({ mpid: 'FELL' });
      await fixture.owner.query(
        `with consent as (
         insert into tariff_consent (id, mpid, user_id, subject_hash)
         select gen_random_uuid(), 'FELL', $1, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
         from generate_series(1, ${MANY}) returning id)
       insert into consent_meter_point (consent_id, mpxn_hash) select id, (select mpxn_hash from meter_point limit 1) from consent`,
        [participant.userId],
      );
      await fixture.setStatus(participant, 'REMOVED');
      await fixture.settled();
      const revocations = await fixture.owner.query(
        `select count(*)::int as events, count(distinct consent_id)::int as consents from event
       join tariff_consent on tariff_consent.id = consent_id where type = 'consent.revoked' and user_id = $1`,
        [participant.userId],
      );
      expect(revocations.rows).toEqual([{ events: MANY, consents: MANY }]);
      const { rows } = await fixture.owner.query(
        `select count(*)::int as ended, count(distinct revoked_at)::int as instants from tariff_consent
       where user_id = $1 and revoked_by = 'rti_user_removed'`,
        [participant.userId],
      );
      expect(rows).toEqual([{ ended: MANY, instants: 1 }]);
    });
  });

  /** Returns the first attempts by both processes, and those within an hour of the effect. */
  async function firstAttempts(): Promise<{ all: number; withinAnHour: number }> {
    const texts = await Promise.all([fixture.metrics, ofReplica].map((registry) => registry.metrics()));
    const sum = (line: RegExp) => texts.reduce((total, text) => total + Number(line.exec(text)?.[1] ?? 0), 0);
    return {
      all: sum(/^register_tariff_event_delay_seconds_count\{held="false"\} (\d+)$/m),
      withinAnHour: sum(/^register_tariff_event_delay_seconds_bucket\{le="3600",held="false"\} (\d+)$/m),
    };
  }

  describe('the time from a change to the first attempt', () => {
    it('is measured, as is the time of due changes without an event; one hour is allowed', async () => {
      const before = await firstAttempts();
      const participant = await fixture.participant({ mpxns: ['1900000000'] });
      await fixture.consent(participant.caller);
      await fixture.webhook(participant.caller, '/soon');
      await fixture.assign('1900000000', 1);
      await fixture.posts(1, '/soon');
      await fixture.settled();
      expect(await firstAttempts()).toEqual({ all: before.all + 1, withinAnHour: before.withinAnHour + 1 });
      const text = await fixture.metrics.metrics();
      expect(text).toMatch(/^register_tariff_effect_overdue_seconds 0$/m);
      expect(text).toMatch(/^tariff_event_log_standstill_seconds \d/m);
      expect(text).toMatch(/^tariff_deliveries_pending 0$/m);
    });

    it('counts from the effect of the change, not from its recording', async () => {
      const before = await firstAttempts();
      const participant = await fixture.participant({ mpxns: ['1900000001'] });
      await fixture.consent(participant.caller);
      await fixture.webhook(participant.caller, '/late');
      await fixture.owner.query(
        `insert into event (type, occurred_at, mpid, mpxn_hash, tariff_id)
       values ('tariff.change', register_now() - interval '2 hours', 'LAPW', $1, $2)`,
        [mpxnCipher(fixture.keys).hash('1900000001'), trf(1)],
      );
      await fixture.posts(1, '/late');
      await fixture.settled();
      expect(await firstAttempts()).toEqual({ all: before.all + 1, withinAnHour: before.withinAnHour });
    });
  });
});

describe('One process', () => {
  beforeAll(async () => {
    fixture = await tariffEventFixture();
  });
  afterEach(() => fixture.receiver.respondWith(() => 204));
  afterAll(() => fixture?.close());

  describe('a revocation', () => {
    const THOUSANDS = IS_LONG ? 10_000 : 2 * MAX_MPXNS + 200;

    it('of a consent for more than a thousand MPxNs responds before its events are sent, ends the sharing at once, delays no other event, and is sent for each MPxN', async () => {
      const participant = await fixture.participant();
      const [id] = await consents(participant.userId, await meterPoints(THOUSANDS), THOUSANDS);
      const { webhookId } = await fixture.webhook(participant.caller, '/revoked');
      const { mpxn } = await follower('/beside-a-revocation');
      await beforeChangesAreApplied(fixture, async () => {
        await fixture.execute(REVOKE, { id }, ADMIN);
        expect(await fixture.errorOf(CUSTOMER, {}, participant.caller)).toBe('RTI002');
        await fixture.assign(mpxn, 1);
      });
      await fixture.posts(1, '/beside-a-revocation');
      await done('consent.revoked');
      expect(await writtenAfter(mpxn, 'consent.revoked')).toBeGreaterThan(0);
      expect(await revokedOf(participant.userId)).toEqual({ events: THOUSANDS, mpxns: THOUSANDS });
      await fanOutAll(fixture.owner);
      const { rowCount } = await fixture.owner.query('select from delivery where endpoint_id = $1', [webhookId]);
      expect(rowCount).toBe(THOUSANDS);
      await fixture.execute(REMOVE_WEBHOOK, { id: webhookId }, participant.caller);
    });

    it('is sent even if other deliveries for its MPxN wait', async () => {
      const { mpxn, registrationId, ...participant } = await follower('/held');
      await fixture.consent(fixture.with(participant, { mpxns: [mpxn], subject: 'consumer-2' }));
      fixture.receiver.respondWith(() => 503);
      await fixture.assign(mpxn, 1);
      await fixture.posts(1, '/held');
      fixture.receiver.respondWith(() => 204);
      await fixture.execute(REVOKE, { id: registrationId }, ADMIN);
      await fixture.posts(2, '/held');
      expect(typesAt('/held').slice(0, 2)).toEqual(['tariff.change', 'consent.revoked']);
      const { rows } = await fixture.owner.query(
        `select state from delivery join event on event.id = event_id where type = 'tariff.change' and mpxn_hash = $1`,
        [mpxnCipher(fixture.keys).hash(mpxn)],
      );
      expect(rows).toEqual([{ state: 'pending' }]);
    });

    it('together with many others is sent once for each', async () => {
      const participant = await fixture.participant();
      const ids = await consents(participant.userId, await meterPoints(3 * MAX_MPXNS), 7);
      await fixture.owner.query(
        `update tariff_consent set revoked_at = register_now(), revoked_by = 'admin' where id = any($1)`,
        [ids],
      );
      await done('consent.revoked');
      expect(await revokedOf(participant.userId)).toEqual({ events: 3 * MAX_MPXNS, mpxns: 3 * MAX_MPXNS });
    });
  });

  describe('a large change', () => {
    it('by a removal with many consents of 20 MPxNs delays no other event, and completes', async () => {
      const participant = await fixture.participant();
      const mpxns = IS_LONG ? 12_000 : 2 * MAX_MPXNS + 200;
      await consents(participant.userId, await meterPoints(mpxns), 20);
      const { mpxn } = await follower('/beside-a-removal');
      await beforeChangesAreApplied(fixture, async () => {
        await fixture.setStatus(participant, 'REMOVED');
        await fixture.assign(mpxn, 1);
      });
      await fixture.posts(1, '/beside-a-removal');
      await done('rti_user.removed');
      await done('consent.revoked');
      expect(await writtenAfter(mpxn, 'consent.revoked')).toBeGreaterThan(0);
      expect(await revokedOf(participant.userId)).toEqual({ events: mpxns, mpxns });
    });

    it('by a tariff that replaces another delays no other event', async () => {
      const many = 2 * MAX_MPXNS + 200;
      await fixture.publish(40);
      await fixture.owner.query('alter table tariff_step disable trigger effect');
      await fixture.owner.query(
        `insert into tariff_step (mpxn_hash, valid_from, tariff_id, mpid, account_id)
       select hash, '2026-01-01Z', $2, 'LAPW', 'acc' from unnest($1::bytea[]) hash`,
        [await meterPoints(many), trf(40)],
      );
      await fixture.owner.query('alter table tariff_step enable trigger effect');
      const { mpxn } = await follower('/beside-a-replacement');
      await beforeChangesAreApplied(fixture, async () => {
        await fixture.publish(41, { replaces: trf(40) });
        await fixture.assign(mpxn, 1);
      });
      await fixture.posts(1, '/beside-a-replacement');
      await done('replacement');
      expect(await writtenAfter(mpxn, 'tariff.change')).toBeGreaterThan(0);
      const { rowCount } = await fixture.owner.query('select from event where tariff_id = $1', [trf(41)]);
      expect(rowCount).toBe(many);
    });
  });

  describe('a failing change', () => {
    let elapsed = 0;
    /** Blocks the events of an MPxN until the returned function is called. */
    async function poisoned(mpxn: string): Promise<() => Promise<unknown>> {
      const hash = mpxnCipher(fixture.keys).hash(mpxn).toString('hex');
      await fixture.owner.query(
        `create function poison() returns trigger language plpgsql as $$ begin raise exception 'poison'; end $$;
       create trigger poison before insert on event for each row when (new.mpxn_hash = '\\x${hash}') execute function poison()`,
      );
      return () => fixture.owner.query('drop trigger poison on event; drop function poison()');
    }

    it.each(['an assignment', 'a replacement', 'a revocation'] as const)(
      'by %s is rescheduled: other due changes are applied, and it is applied once it can be',
      async (which) => {
        const path = `/${which.replace(' ', '-')}`;
        const [bad, good] = [await follower(`${path}-bad`), await follower(`${path}-good`)];
        const number = (published += 2);
        await fixture.publish(number);
        await fixture.assign(bad.mpxn, number);
        await fixture.posts(1, `${path}-bad`);
        const cure = await poisoned(bad.mpxn);
        const happens = {
          'an assignment': () => fixture.assign(bad.mpxn, 2),
          'a replacement': () => fixture.publish(number + 1, { replaces: trf(number) }),
          'a revocation': () => fixture.execute(REVOKE, { id: bad.registrationId }, ADMIN),
        };
        await happens[which]();
        await fixture.assign(good.mpxn, 3);
        await fixture.posts(1, `${path}-good`);
        await until(async () => {
          const faulty = 'select from tariff_effect where done_at is null and faults > 0';
          return (await fixture.owner.query(faulty)).rowCount === 1 ? true : undefined;
        });
        await fixture.assign(good.mpxn, 4);
        await fixture.posts(2, `${path}-good`);
        expect(typesAt(`${path}-bad`)).toHaveLength(1);
        await cure();
        await fixture.moveClock((elapsed += 600));
        await fixture.posts(2, `${path}-bad`);
        const types = {
          'an assignment': 'tariff.change',
          'a replacement': 'tariff.update',
          'a revocation': 'consent.revoked',
        };
        expect(typesAt(`${path}-bad`)[1]).toBe(types[which]);
      },
    );
  });

  describe('a list of events', () => {
    const LIST = '{ tariffEvents(first: 20, filter: { types: [SUPPLIER_CESSATION] }) { nodes { id } } }';

    it.each<Planning>(['force_generic_plan', 'force_custom_plan'])(
      'of a rare type at a supplier with many events reads only those (plan_cache_mode = %s)',
      async (planning) => {
        await fixture.owner.query('alter table event disable trigger outbox');
        await fixture.owner.query(
          `insert into event (type, occurred_at, mpid, mpxn_hash, tariff_id)
         select 'tariff.update', register_now(), 'LAPW', (select mpxn_hash from meter_point limit 1), $1 from generate_series(1, 50000)`,
          [trf(1)],
        );
        await fixture.owner.query(
          `insert into event (type, occurred_at, mpid) values ('supplier.cessation', register_now(), 'LAPW')`,
        );
        await fixture.owner.query('alter table event enable trigger outbox');
        await fixture.owner.query('analyze event');
        const execute = (query: string) => fixture.execute(query, {}, supplierOf('LAPW'));
        // The list has an event once every transaction of the server that began before it has ended, also those of other tests.
        await until(async () => ((await execute(LIST)).tariffEvents.nodes.length === 0 ? undefined : true));
        const { rows, whole } = await rowsRead(
          { owner: fixture.owner, execute, pattern: /requested_type/ },
          LIST,
          planning,
        );
        expect(rows['event']).toBeGreaterThan(0);
        expect(rows['event']).toBeLessThan(100);
        expect(whole).not.toContain('event');
      },
    );
  });

  describe('a tariff of many MPxNs', () => {
    const MANY_ON_TARIFF = 2 * MAX_MPXNS + 200;
    /** Seconds by which the register's clock is ahead, as earlier tests have left it. */
    let ahead = 0;
    const inMinutes = (minutes: number) => new Date(Date.now() + ahead * 1_000 + minutes * 60_000).toISOString();
    /** Moves the clock forwards, and applies what is due then. */
    const minutesPass = async (minutes: number) => {
      await fixture.moveOn((ahead += minutes * 60));
      await fixture.settled();
    };

    beforeAll(async () => {
      ahead = Math.round(((await fixture.now()).getTime() - Date.now()) / 1_000);
      await fixture.owner.query(`
        create table applied_transaction (effect_id bigint not null);
        create function count_transaction() returns trigger language plpgsql security definer as $$ begin
          insert into tariffs.applied_transaction values (new.id);
          return null;
        end $$;
        create trigger count_transaction after update of reached, done_at on tariff_effect for each row
          when (new.tariff_id is not null) execute function count_transaction()`);
    });
    afterAll(() => fixture.owner.query('drop trigger count_transaction on tariff_effect'));

    /** Publishes a tariff to which many MPxNs are assigned. */
    async function manyOn(number: number, change: Record<string, unknown>): Promise<void> {
      await fixture.publish(number, change);
      await fixture.owner.query('alter table tariff_step disable trigger effect');
      await fixture.owner.query(
        `with step as (
           insert into tariff_step (mpxn_hash, valid_from, tariff_id, mpid, account_id)
           select hash, '2026-01-01Z', $2, 'LAPW', 'acc' from unnest($1::bytea[]) hash returning *)
         insert into tariff_standing (mpxn_hash, tariff_id, mpid, as_of) select mpxn_hash, tariff_id, mpid, valid_from from step`,
        [await meterPoints(MANY_ON_TARIFF), trf(number)],
      );
      await fixture.owner.query('alter table tariff_step enable trigger effect');
    }

    /** Returns the number of transactions that have applied changes of tariffs. */
    const transactions = async (...tariffs: readonly number[]) => {
      const { rowCount } = await fixture.owner.query(
        `select from applied_transaction join tariff_effect on tariff_effect.id = effect_id where tariff_id = any($1)`,
        [tariffs.map(trf)],
      );
      return rowCount;
    };

    /** Returns the events of the MPxNs of a tariff, by type and tariff. */
    const eventsOn = async (number: number) => {
      const { rows } = await fixture.owner.query(
        `select type, event.tariff_id as "tariffId", count(*)::int as events, count(distinct mpxn_hash)::int as mpxns
         from event join tariff_step using (mpxn_hash) where tariff_step.tariff_id = $1 group by 1, 2`,
        [trf(number)],
      );
      return rows;
    };
    const onePerMpxn = { events: MANY_ON_TARIFF, mpxns: MANY_ON_TARIFF };

    it('whose end was moved often is checked at its last end only, once: other events are not delayed', async () => {
      await manyOn(80, { validTo: inMinutes(15) });
      const [first, second] = [inMinutes(10), inMinutes(20)];
      for (let move = 0; move < 20; move++) await fixture.publish(80, { validTo: move % 2 === 0 ? first : second });
      const last = inMinutes(9 * 60);
      for (const validTo of [last, inMinutes(8 * 60), last]) await fixture.publish(80, { validTo });
      await minutesPass(60);
      expect(await transactions(80)).toBe(0);
      expect(await eventsOn(80)).toEqual([]);
      await minutesPass(8 * 60 + 1);
      expect(await eventsOn(80)).toEqual([{ type: 'tariff.change', tariffId: null, ...onePerMpxn }]);
      expect(await transactions(80)).toBe(3);
    });

    it('which ends when another one replaces it is checked with that one, once', async () => {
      const at = inMinutes(10 * 60);
      await manyOn(81, { validTo: at });
      await fixture.publish(82, { replaces: trf(81), validFrom: at });
      await minutesPass(10 * 60 + 1);
      expect(await eventsOn(81)).toEqual([{ type: 'tariff.update', tariffId: trf(82), ...onePerMpxn }]);
      expect(await transactions(81, 82)).toBe(4);
    });

    it('does not delay others while a transaction holds its change', async () => {
      const at = inMinutes(5);
      await manyOn(83, { validTo: at });
      const blocker = await fixture.owner.connect();
      const repository = new ScheduledChangeRepository(fixture.owner);
      const appliedOnce = async () => {
        const outcome = await repository.applyDue(() => undefined);
        return outcome === 'locked' ? undefined : outcome;
      };
      try {
        await blocker.query('begin');
        await blocker.query('select from tariff_effect where tariff_id = $1 for update', [trf(83)]);
        await fixture.moveOn((ahead += 6 * 60));
        const applied = until(appliedOnce);
        await expect(untilOneWaits(blocker, applied)).rejects.toThrow('ended without waiting');
        await applied;
      } finally {
        await blocker.query('rollback');
        blocker.release();
      }
      await fixture.settled();
    });

    it('is checked on as soon as a transaction that moved an end has committed', async () => {
      const blocker = await fixture.owner.connect();
      await blocker.query('begin');
      await blocker.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.effects]);
      const repository = new ScheduledChangeRepository(fixture.owner);
      const outcomes: ApplyOutcome[] = [];
      const applyDue = async () => {
        const outcome = await repository.applyDue(() => undefined);
        if (outcomes.push(outcome) === 1) await blocker.query('commit');
        return outcome;
      };
      await applyAllDue(
        { applyDue },
        () => undefined,
        () => false,
      );
      blocker.release();
      expect(outcomes[0]).toBe('locked');
      expect(outcomes.length).toBeGreaterThan(1);
    });
  });
});
