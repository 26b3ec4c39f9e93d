import { openDatabase } from '../../../../subgraphs/server/database/database';
import { databaseAddress } from '../../../../subgraphs/server/database/database-login';
import { endedChanges } from '../../../../subgraphs/tariffs/events/scheduled-change.repository';
import { mpxnCipher } from '../../../../subgraphs/tariffs/occupancies/mpxn-cipher.repository';
import {
  type TariffEventFixture,
  beforeChangesAreApplied,
  bodiesOf,
  tariffEventFixture,
} from '../../../support/tariff-event-fixture';
import { ASSIGN, PUBLISH, supplierOf, tariffInput, trf } from '../../../support/tariff-graph';
import { until } from '../../../support/until';

export function eventsOfValidity(): void {
  const HOUR = 3_600;
  const DAY = 24 * HOUR;
  const END = `mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { mpxn } }`;
  const REVOKE = 'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }';
  const NONE = undefined;

  let fixture: TariffEventFixture;
  let next = 0;
  let published = 100;
  /** Seconds by which the tests have moved the register's clock. */
  let moved = 0;
  beforeAll(async () => {
    fixture = await tariffEventFixture();
    await fixture.suppliers('FELL');
    await fixture.publish(20, {}, 'FELL');
  });
  afterAll(() => fixture?.close());

  const fresh = () => ({ mpxn: String(1_300_000_000 + ++next * 7), path: `/validity-${next}` });
  /** Moves the clock forwards only, so that future changes stay in the future. */
  const moveOn = (seconds: number) => fixture.moveOn((moved += seconds));
  const inSeconds = async (seconds: number) => new Date((await fixture.now()).getTime() + seconds * 1_000);

  /** Creates an RTI User with a consent for an MPxN, and a webhook. */
  async function following(change: { mpid?: string; subject?: string } = {}, place = fresh()) {
    const participant = await fixture.participant({ mpxns: [place.mpxn], ...change });
    const { registrationId } = await fixture.consent(participant.caller);
    await fixture.webhook(participant.caller, place.path);
    return { ...participant, ...place, registrationId };
  }

  const publish = async (change: Record<string, Date | string>, mpid = 'LAPW') => {
    await fixture.publish((published += 1), JSON.parse(JSON.stringify(change)), mpid);
    return published;
  };
  /** Assigns a tariff as its supplier. */
  const assign = async (mpxn: string, number: number, from: Date, mpid = 'LAPW') =>
    fixture.execute(ASSIGN, { mpxn, tariffId: trf(number), from: from.toISOString() }, supplierOf(mpid));
  const end = (mpxn: string, at: Date) => fixture.execute(END, { mpxn, at: at.toISOString() }, supplierOf('LAPW'));
  const moveEnd = (number: number, validTo: Date) =>
    fixture.execute(PUBLISH, { input: tariffInput(number, { validTo: validTo.toISOString() }) }, supplierOf('LAPW'));

  /** Returns the events at a path when `count` have arrived and nothing is due: type, tariff and instant of effect. */
  async function heard(count: number, path: string) {
    if (count > 0) await fixture.posts(count, path);
    await fixture.settled();
    return bodiesOf(fixture.receiver.received.filter((post) => post.path === path)).map(
      ({ type, tariff_id: tariff, event_timestamp: at }): [string, string | undefined, string] => [type, tariff, at],
    );
  }
  /** Returns the events of an MPxN in the log of LAPW when `count` are readable. */
  const logOf = (mpxn: string, count: number) =>
    until(async () => {
      const own = (await fixture.logged()).filter((event) => event.mpxn === mpxn);
      return own.length >= count ? own : undefined;
    });
  const kinds = async (count: number, path: string) =>
    (await heard(count, path)).map(([type, tariff]) => [type, tariff]);

  describe('A tariff that is assigned before it is valid', () => {
    it('causes its event when it becomes valid, not before, dated at that instant', async () => {
      const { mpxn, path } = await following();
      const validFrom = await inSeconds(2 * HOUR);
      const number = await publish({ validFrom });
      await fixture.assign(mpxn, number);
      await moveOn(HOUR);
      expect(await heard(0, path)).toEqual([]);
      await moveOn(HOUR + 60);
      expect(await heard(1, path)).toEqual([['tariff.change', trf(number), validFrom.toISOString()]]);
    });

    it('ends the tariff that applied before, and is an update if it replaces that', async () => {
      const { mpxn, path } = await following();
      const former = await publish({});
      await fixture.assign(mpxn, former, -60);
      await fixture.settled();
      const number = await publish({ validFrom: await inSeconds(HOUR), replaces: trf(former) });
      await fixture.assign(mpxn, number);
      expect(await kinds(2, path)).toEqual([
        ['tariff.change', trf(former)],
        ['tariff.change', NONE],
      ]);
      await moveOn(HOUR + 60);
      expect((await kinds(3, path)).at(-1)).toEqual(['tariff.update', trf(number)]);
    });
  });

  describe('The end of the validity of a tariff', () => {
    it('is a change without tariff, dated at that instant, for its RTI Users, in the log and in GraphQL', async () => {
      const { mpxn, path } = await following();
      const validTo = await inSeconds(HOUR);
      const number = await publish({ validTo });
      await fixture.assign(mpxn, number);
      await fixture.posts(1, path);
      await moveOn(HOUR + 60);
      const [, event] = bodiesOf(await fixture.posts(2, path));
      expect(event).toEqual({
        ...{ webhook_id: expect.any(String), webhook_timestamp: expect.any(String), type: 'tariff.change' },
        ...{ event_timestamp: validTo.toISOString(), mpxn, supplier_mpid: 'LAPW' },
      });
      await fixture.settled();
      const [, logged] = await logOf(mpxn, 2);
      expect(logged).toEqual({ type: 'TARIFF_CHANGE', at: validTo.toISOString(), mpxn, tariff: null });
    });

    it('is no event if another tariff applies from that instant on: an assigned one, or a replacement', async () => {
      const [assigned, replaced] = [await following(), await following()];
      const validTo = await inSeconds(HOUR);
      const [one, other] = [await publish({ validTo }), await publish({ validTo })];
      await fixture.assign(assigned.mpxn, one);
      await fixture.assign(replaced.mpxn, other);
      await assign(assigned.mpxn, 2, validTo);
      const replacement = await publish({ validFrom: validTo, replaces: trf(other) });
      await moveOn(HOUR + 60);
      expect(await kinds(2, assigned.path)).toEqual([
        ['tariff.change', trf(one)],
        ['tariff.change', trf(2)],
      ]);
      expect(await kinds(2, replaced.path)).toEqual([
        ['tariff.change', trf(other)],
        ['tariff.update', trf(replacement)],
      ]);
    });

    it('is an event also for an assignment that is committed after it was applied', async () => {
      const { mpxn, path } = await following();
      const validTo = await inSeconds(HOUR);
      const number = await publish({ validTo });
      const late = await fixture.owner.connect();
      await late.query('begin');
      await late.query(
        `insert into tariff_step (mpxn_hash, valid_from, tariff_id, mpid, account_id)
         values ($1, date_trunc('milliseconds', register_now()), $2, 'LAPW', 'acc')`,
        [mpxnCipher(fixture.keys).hash(mpxn), trf(number)],
      );
      await fixture.owner.query('select register.set_clock_offset($1)', [(moved += HOUR + 60)]);
      await fixture.settled();
      await late.query('commit');
      late.release();
      expect(await heard(2, path)).toEqual([
        ['tariff.change', trf(number), expect.any(String)],
        ['tariff.change', NONE, validTo.toISOString()],
      ]);
    });
  });

  describe('Changes that are applied hours late', () => {
    it('cause their events in the order in which they took effect, each dated at its effect', async () => {
      const { mpxn, path } = await following();
      const [validTo, from, lostAt] = [await inSeconds(HOUR), await inSeconds(2 * HOUR), await inSeconds(3 * HOUR)];
      const number = await publish({ validTo });
      await beforeChangesAreApplied(fixture, async () => {
        await fixture.assign(mpxn, number);
        await assign(mpxn, 3, from);
        await assign(mpxn, 20, lostAt, 'FELL');
        await fixture.owner.query('select register.set_clock_offset($1)', [(moved += 5 * HOUR)]);
      });
      expect(await heard(4, path)).toEqual([
        ['tariff.change', trf(number), expect.any(String)],
        ['tariff.change', NONE, validTo.toISOString()],
        ['tariff.change', trf(3), from.toISOString()],
        ['supplier.change', NONE, lostAt.toISOString()],
      ]);
    });
  });

  describe('The end of an assignment whose change failed once', () => {
    /** Records an end in an hour and an assignment `gap` seconds later, whose change is applied while that of the end is rescheduled. */
    async function endedLate(gap: number, number: number, mpid?: string) {
      const follower = await following();
      await fixture.assign(follower.mpxn, 1, -60);
      await fixture.posts(1, follower.path);
      const [at, from] = [await inSeconds(HOUR), await inSeconds(HOUR + gap)];
      await end(follower.mpxn, at);
      await assign(follower.mpxn, number, from, mpid);
      await beforeChangesAreApplied(fixture, async () => {
        await fixture.owner.query('select register.set_clock_offset($1)', [(moved += HOUR + 60)]);
        await fixture.owner.query(
          `update tariff_effect set faults = 1, turn_at = register_now() + interval '2 s' from tariff_step step
           where step.id = step_id and step.tariff_id is null and step.mpxn_hash = $1`,
          [mpxnCipher(fixture.keys).hash(follower.mpxn)],
        );
      });
      const ended = [
        ['tariff.change', trf(1), expect.any(String)],
        ['tariff.change', NONE, at.toISOString()],
      ];
      return { ...follower, ended, from: from.toISOString() };
    }

    it('is sent before the tariff of the next occupant applies at that instant', async () => {
      const { path, ended } = await endedLate(0, 2);
      expect(await heard(2, path)).toEqual(ended);
    });

    it('is sent before the change of supplier after it', async () => {
      const { path, ended, from } = await endedLate(30, 20, 'FELL');
      expect(await heard(3, path)).toEqual([...ended, ['supplier.change', NONE, from]]);
    });
  });

  describe('The end of an assignment and the start of the next one at the same instant', () => {
    it.each(['becomes valid', 'replaces the former one'])('are one event each if a tariff %s then', async (change) => {
      const { mpxn, path } = await following();
      const former = await publish({});
      await fixture.assign(mpxn, former, -60);
      await fixture.posts(1, path);
      const at = await inSeconds(HOUR);
      const changed = await publish({
        validFrom: at,
        ...(change === 'becomes valid' ? {} : { replaces: trf(former) }),
      });
      await end(mpxn, at);
      await assign(mpxn, changed, at);
      await moveOn(HOUR + 60);
      expect(await kinds(2, path)).toEqual([
        ['tariff.change', trf(former)],
        ['tariff.change', NONE],
      ]);
      expect((await logOf(mpxn, 3)).map(({ tariff }) => tariff?.tariffId)).toEqual([trf(former), NONE, trf(changed)]);
    });
  });

  describe('The end of an assignment', () => {
    it('is sent to RTI Users whose consents covered the MPxN until then, also if they are granted again; to no later ones', async () => {
      const before = await following();
      await fixture.assign(before.mpxn, 1, -60);
      await fixture.posts(1, before.path);
      const place = { mpxn: before.mpxn, path: `${before.path}-after` };
      await beforeChangesAreApplied(fixture, async () => {
        await end(before.mpxn, await inSeconds(0));
        await fixture.consent(fixture.with(before, { mpxns: [before.mpxn] }));
        await following({ subject: 'the next occupant' }, place);
      });
      expect(await kinds(2, before.path)).toEqual([
        ['tariff.change', trf(1)],
        ['tariff.change', NONE],
      ]);
      expect(await heard(0, place.path)).toEqual([]);
    });

    it('is no event if another supplier starts at that instant', async () => {
      const { mpxn, path } = await following();
      await fixture.assign(mpxn, 1, -60);
      await fixture.posts(1, path);
      const at = await inSeconds(HOUR);
      await end(mpxn, at);
      await assign(mpxn, 20, at, 'FELL');
      await moveOn(HOUR + 60);
      expect(await heard(2, path)).toEqual([
        ['tariff.change', trf(1), expect.any(String)],
        ['supplier.change', NONE, at.toISOString()],
      ]);
    });
  });

  describe('A gap between two suppliers', () => {
    /** Creates an MPxN whose assignment to a tariff of LAPW ends, and RTI Users at both suppliers. */
    async function ended() {
      const losing = await following();
      const gaining = await following({ mpid: 'FELL' }, { mpxn: losing.mpxn, path: `${losing.path}-fell` });
      await fixture.assign(losing.mpxn, 1, -60);
      await fixture.posts(1, losing.path);
      await end(losing.mpxn, await inSeconds(0));
      await fixture.posts(2, losing.path);
      return { losing, gaining };
    }
    const ENDED = [
      ['tariff.change', trf(1)],
      ['tariff.change', NONE],
    ];

    it('of 89 days does not swallow the change of supplier: it is sent when the tariff of the next one takes effect', async () => {
      const { losing, gaining } = await ended();
      await moveOn(89 * DAY);
      expect(await kinds(2, losing.path)).toEqual(ENDED);
      await fixture.consent(fixture.with(gaining, { mpid: 'FELL', mpxns: [gaining.mpxn] }));
      const from = await inSeconds(HOUR);
      await assign(losing.mpxn, 20, from, 'FELL');
      expect(await kinds(2, losing.path)).toEqual(ENDED);
      await moveOn(HOUR + 60);
      const events = await heard(3, losing.path);
      expect(events.at(-1)).toEqual(['supplier.change', NONE, from.toISOString()]);
      expect(bodiesOf(fixture.receiver.received.filter(({ path }) => path === losing.path)).at(-1)).toMatchObject({
        mpxn: losing.mpxn,
        supplier_mpid: 'LAPW',
      });
      expect(await kinds(1, gaining.path)).toEqual([['tariff.change', trf(20)]]);
    });

    it('of 91 days ends the relation to the former supplier', async () => {
      const { losing, gaining } = await ended();
      await moveOn(91 * DAY);
      await fixture.consent(fixture.with(gaining, { mpid: 'FELL', mpxns: [gaining.mpxn] }));
      await fixture.assign(losing.mpxn, 20, 0, 'FELL');
      expect(await kinds(1, gaining.path)).toEqual([['tariff.change', trf(20)]]);
      expect(await kinds(2, losing.path)).toEqual(ENDED);
    });

    it.each([
      ['that a tariff no longer valid leaves', false],
      ['that starts long after the tariff was no longer valid', true],
    ])('%s does not swallow it either: its length counts from the end of the assignment', async (_, isEnded) => {
      const { mpxn, path } = await following();
      const number = await publish({ validTo: await inSeconds(HOUR) });
      await fixture.assign(mpxn, number);
      await moveOn(2 * HOUR);
      const later = await following({ subject: 'another of the home' }, { mpxn, path: `${path}-since` });
      await moveOn(99 * DAY);
      if (isEnded) await end(mpxn, await inSeconds(0));
      await moveOn(5 * DAY);
      await fixture.assign(mpxn, 20, 0, 'FELL');
      expect(await kinds(3, path)).toEqual([
        ['tariff.change', trf(number)],
        ['tariff.change', NONE],
        ['supplier.change', NONE],
      ]);
      expect(await kinds(1, later.path)).toEqual([['supplier.change', NONE]]);
    });

    it('is none while the tariff of the next one is not yet valid', async () => {
      const { mpxn, path } = await following();
      await fixture.assign(mpxn, 1, -60);
      await fixture.posts(1, path);
      await fixture.publish(21, { validFrom: (await inSeconds(100 * DAY)).toISOString() }, 'FELL');
      await fixture.assign(mpxn, 21, 0, 'FELL');
      expect(await kinds(2, path)).toEqual(ENDED);
      await moveOn(101 * DAY);
      expect(await kinds(3, path)).toEqual([...ENDED, ['supplier.change', NONE]]);
    });

    it('in which the RTI User is suspended sends everything after its reactivation, in order', async () => {
      const losing = await following();
      await fixture.assign(losing.mpxn, 1, -60);
      await fixture.posts(1, losing.path);
      await fixture.setStatus(losing, 'SUSPENDED');
      await end(losing.mpxn, await inSeconds(0));
      await fixture.settled();
      await fixture.assign(losing.mpxn, 20, 0, 'FELL');
      await fixture.settled();
      expect(await heard(1, losing.path)).toHaveLength(1);
      await fixture.setStatus(losing, 'ACTIVE');
      expect(await kinds(3, losing.path)).toEqual([...ENDED, ['supplier.change', NONE]]);
    });

    it('does not swallow a revocation, which is sent at once and instead of the change of supplier', async () => {
      const { losing } = await ended();
      await fixture.execute(REVOKE, { id: losing.registrationId }, losing.caller);
      expect(await kinds(3, losing.path)).toEqual([...ENDED, ['consent.revoked', NONE]]);
      await fixture.assign(losing.mpxn, 20, 0, 'FELL');
      expect(await heard(3, losing.path)).toHaveLength(3);
    });

    it('does not swallow a revocation after it', async () => {
      const { losing } = await ended();
      await fixture.assign(losing.mpxn, 20, 0, 'FELL');
      await fixture.posts(3, losing.path);
      await fixture.execute(REVOKE, { id: losing.registrationId }, losing.caller);
      expect(await kinds(4, losing.path)).toEqual([...ENDED, ['supplier.change', NONE], ['consent.revoked', NONE]]);
    });
  });

  describe('An end of a tariff that moves', () => {
    /** Creates an MPxN on a tariff that ends in two hours. */
    async function onEndingTariff() {
      const follower = await following();
      const number = await publish({ validTo: await inSeconds(2 * HOUR) });
      await fixture.assign(follower.mpxn, number);
      await fixture.posts(1, follower.path);
      return { ...follower, number, applies: ['tariff.change', trf(number), expect.any(String)] };
    }

    it('is an event at the new instant only: later, or earlier', async () => {
      const [longer, shorter] = [await onEndingTariff(), await onEndingTariff()];
      const [late, soon] = [await inSeconds(4 * HOUR), await inSeconds(HOUR)];
      await moveEnd(longer.number, late);
      await moveEnd(shorter.number, soon);
      await moveOn(HOUR + 60);
      const ended = [shorter.applies, ['tariff.change', NONE, soon.toISOString()]];
      expect(await heard(2, shorter.path)).toEqual(ended);
      await moveOn(2 * HOUR);
      expect(await heard(1, longer.path)).toEqual([longer.applies]);
      await moveOn(2 * HOUR);
      expect(await heard(2, longer.path)).toEqual([longer.applies, ['tariff.change', NONE, late.toISOString()]]);
      expect(await heard(2, shorter.path)).toEqual(ended);
    });

    it('that passes while the request waits for other changes is rejected, and its event is sent', async () => {
      const { path, number, applies } = await onEndingTariff();
      const validTo = (await inSeconds(9 * HOUR)).toISOString();
      let moving: Promise<string> | undefined;
      await beforeChangesAreApplied(fixture, async () => {
        moving = fixture.errorOf(PUBLISH, { input: tariffInput(number, { validTo }) }, supplierOf('LAPW'));
        await until(async () => {
          const waiting = `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
          return (await fixture.owner.query(waiting)).rowCount === 1 ? true : undefined;
        });
        await fixture.owner.query('select register.set_clock_offset($1)', [(moved += 3 * HOUR)]);
      });
      expect(await moving).toMatch(/^CNF005/);
      expect(await heard(2, path)).toEqual([applies, ['tariff.change', NONE, expect.any(String)]]);
    });

    it('in a check neither waits for changes that are being applied nor delays them', async () => {
      const { number } = await onEndingTariff();
      const input = tariffInput(number, { validTo: (await inSeconds(9 * HOUR)).toISOString() });
      const check = PUBLISH.replace('input: $input', 'input: $input, dryRun: true');
      await beforeChangesAreApplied(fixture, async () => {
        const { publishTariff } = await fixture.execute(check, { input }, supplierOf('LAPW'));
        expect(publishTariff).toMatchObject({ isNew: false, isChanged: true });
      });
    });

    it('by two callers at once ends up at one of their instants, and causes one event', async () => {
      const { path, number, applies } = await onEndingTariff();
      const instants = [await inSeconds(3 * HOUR), await inSeconds(4 * HOUR)];
      await Promise.all(instants.map((validTo) => moveEnd(number, validTo)));
      const { tariff } = await fixture.execute(`{ tariff(tariffId: "${trf(number)}") { validTo version } }`);
      expect(instants.map((each) => each.toISOString())).toContain(tariff.validTo);
      expect(tariff.version).toBe(1);
      await moveOn(5 * HOUR);
      expect(await heard(2, path)).toEqual([applies, ['tariff.change', NONE, tariff.validTo]]);
    });
  });

  describe('Changes that were applied or cancelled a month ago', () => {
    const STATES = `select case when done_at is not null then 'done' when cancelled_at is not null then 'cancelled' else 'waits' end as state
      from tariff_effect where mpxn_hash = $1 order by 1`;

    it('are deleted, and those that wait are not, so that later changes cause the same events', async () => {
      const { mpxn, path } = await following();
      const number = await publish({});
      await fixture.assign(mpxn, number);
      const tomorrow = await inSeconds(DAY);
      for (const planned of [1, 2]) await assign(mpxn, planned, tomorrow);
      await fixture.settled();
      const hash = mpxnCipher(fixture.keys).hash(mpxn);
      const states = async () => (await fixture.owner.query(STATES, [hash])).rows.map(({ state }) => state);
      expect(await states()).toEqual(['cancelled', 'done', 'waits']);
      await fixture.owner.query(
        `update tariff_effect set done_at = done_at - interval '31 days', cancelled_at = cancelled_at - interval '31 days',
           planned_at = planned_at - interval '31 days', faults = 3 where mpxn_hash = $1`,
        [hash],
      );
      const login = openDatabase(databaseAddress(fixture.url, 'tariffs', fixture.keys.hashKey));
      for (const purge of endedChanges(login.pool)) while ((await purge()) > 0);
      const deletion = login.pool.query('delete from tariff_effect where mpxn_hash = $1', [hash]);
      await expect(deletion).rejects.toThrow('a change that waits is not deleted');
      await login.close();
      expect(await states()).toEqual(['waits']);
      await moveEnd(number, await inSeconds(HOUR));
      await moveOn(2 * HOUR);
      await moveOn(DAY);
      expect((await heard(3, path)).map(([, tariff]) => tariff)).toEqual([trf(number), NONE, trf(2)]);
    });
  });
}
