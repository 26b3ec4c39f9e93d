import type { QueryResult } from 'pg';
import type { RunningSubgraph } from '../../../subgraphs/server/graph/running-subgraph';
import { whenSetBack } from '../../../subgraphs/server/database/register-clock';
import { LOCK_CHANGES } from '../../../subgraphs/tariffs/catalogue/tariff.repository';
import { correctPublicationsAhead } from '../../../subgraphs/tariffs/events/publications-ahead.repository';
import { applyByClock } from '../../../subgraphs/tariffs/events/scheduled-change.module';
import { ScheduledChangeRepository } from '../../../subgraphs/tariffs/events/scheduled-change.repository';
import { mpxnCipher } from '../../../subgraphs/tariffs/occupancies/mpxn-cipher.repository';
import { jumpedClock } from '../../support/access-database';
import {
  type TariffEventFixture,
  beforeChangesAreApplied,
  bodiesOf,
  tariffEventFixture,
} from '../../support/tariff-event-fixture';
import { ADMIN, PUBLISH, startReplica, supplierOf, tariffInput, trf } from '../../support/tariff-graph';
import { until } from '../../support/until';

const [HOUR, DAY] = [3_600, 86_400];
const REVOKE = 'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }';

let fixture: TariffEventFixture;
let next = 0;
beforeAll(async () => {
  fixture = await tariffEventFixture();
});
afterAll(async () => {
  await replica?.close();
  await fixture?.close();
});

let replica: RunningSubgraph | undefined;
/** Starts another process, which has not read the clock while it was ahead. */
const restart = async () => {
  await replica?.close();
  replica = await startReplica(fixture);
};

/** Creates an RTI User with a consent for an MPxN, whose events arrive at a path. */
async function following() {
  const [mpxn, path] = [String(1_400_000_000 + ++next), `/clock-${next}`];
  const participant = await fixture.participant({ mpxns: [mpxn] });
  const { registrationId } = await fixture.consent(participant.caller);
  await fixture.webhook(participant.caller, path);
  return { ...participant, mpxn, path, registrationId };
}

const received = (path: string) => bodiesOf(fixture.receiver.received.filter((post) => post.path === path));
/** Waits for events that the subgraph itself applies and sends. */
const arrived = (count: number, path: string) =>
  until(() => (received(path).length >= count ? received(path) : undefined));
const eventsOf = async (mpxn: string) => {
  const text = 'select type, tariff_id as "tariffId" from event where mpxn_hash = $1 order by era, tx, position';
  return (await fixture.owner.query(text, [mpxnCipher(fixture.keys).hash(mpxn)])).rows;
};

describe('When the clock of the database jumps ahead', () => {
  it('no planned change is applied, and a revocation is; the planned one is applied at its time', async () => {
    const [planned, revoked] = [await following(), await following()];
    await fixture.assign(planned.mpxn, 1, DAY);
    const correct = await jumpedClock(fixture.owner, '60 days');
    try {
      await fixture.execute(REVOKE, { id: revoked.registrationId }, ADMIN);
      expect(await arrived(1, revoked.path)).toMatchObject([{ type: 'consent.revoked', mpxn: revoked.mpxn }]);
      const changes = new ScheduledChangeRepository(fixture.owner);
      const run = applyByClock(
        fixture.owner,
        changes,
        () => undefined,
        () => false,
      );
      await expect(run).rejects.toMatchObject({ code: 'CLOCKS_DIFFER' });
      expect(await changes.applyDue(() => undefined)).toBe('none');
      expect(await eventsOf(planned.mpxn)).toEqual([]);
    } finally {
      await correct();
    }
    await fixture.moveClock(DAY + 60);
    expect(await arrived(1, planned.path)).toMatchObject([{ type: 'tariff.change', tariff_id: trf(1) }]);
    await fixture.moveOn(0);
  });
});

describe('When the clock of the database is set back', () => {
  it('a revocation of the time ahead is sent, dated now, and an assignment that has started is published', async () => {
    const [revoked, assigned, planned] = [await following(), await following(), await following()];
    await fixture.settled();
    await beforeChangesAreApplied(fixture, async () => {
      await fixture.assign(planned.mpxn, 3, 2 * DAY);
      await fixture.moveClock(3 * HOUR);
      await fixture.execute(REVOKE, { id: revoked.registrationId }, ADMIN);
      await fixture.owner.query(
        `insert into tariff_step (mpxn_hash, valid_from, tariff_id, mpid, account_id)
         values ($1, date_trunc('milliseconds', register_now() - interval '1 day'), $2, 'LAPW', 'acc')`,
        [mpxnCipher(fixture.keys).hash(assigned.mpxn), trf(2)],
      );
      await fixture.moveClock(0);
    });
    await restart();
    const [event] = await arrived(1, revoked.path);
    expect(event).toMatchObject({ type: 'consent.revoked', mpxn: revoked.mpxn });
    expect(Date.parse(event.event_timestamp)).toBeLessThan(Date.now() + HOUR * 1_000);
    expect(await arrived(1, assigned.path)).toMatchObject([{ type: 'tariff.change', tariff_id: trf(2) }]);
    expect(await eventsOf(planned.mpxn)).toEqual([]);
    const { rows } = await fixture.owner.query<{ days: number }>(
      `select round(extract(epoch from due_at - register_now()) / ${DAY})::int as days from tariff_effect
       where mpxn_hash = $1 and done_at is null`,
      [mpxnCipher(fixture.keys).hash(planned.mpxn)],
    );
    expect(rows).toEqual([{ days: 2 }]);
  });

  it('a removal of an RTI User continues that was half done, and one that failed is attempted again', async () => {
    const [half, failed] = [await following(), await following()];
    await fixture.settled();
    await beforeChangesAreApplied(fixture, async () => {
      await fixture.setStatus(half, 'REMOVED');
      await fixture.setStatus(failed, 'REMOVED');
      const set = (column: string, userId: string) =>
        fixture.owner.query(
          `update tariff_effect set ${column} where kind = 'rti_user.removed' and user_id = $1 and done_at is null`,
          [userId],
        );
      await set(`turn_at = register_now() + interval '3 hours'`, half.userId);
      await set(`turn_at = register_now() + interval '3 hours 256 s', faults = 8`, failed.userId);
    });
    await restart();
    for (const { path, mpxn } of [half, failed])
      expect(await arrived(1, path)).toMatchObject([{ type: 'consent.revoked', mpxn }]);
  });
});

describe('Consents and ends of assignments of the time ahead', () => {
  const END = 'mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { from } }';
  const CUSTOMER = '{ customerTariffs { tariffId } }';
  const endNow = (mpxn: string) => fixture.execute(END, { mpxn, at: new Date().toISOString() }, supplierOf('LAPW'));
  /** Creates the next occupant of a meter point, with a consent and a webhook. */
  const nextOccupant = async (mpxn: string) => {
    const path = `/clock-next-${mpxn}`;
    const participant = await fixture.participant({ mpxns: [mpxn], subject: 'next-occupant' });
    await fixture.consent(participant.caller);
    await fixture.webhook(participant.caller, path);
    return { ...participant, path };
  };
  const tariffsOf = async (path: string) => {
    await fixture.settled();
    return received(path).map(({ type, tariff_id: tariffId }) => ({ type, tariffId }));
  };
  const [ended, changed] = [
    { type: 'tariff.change' },
    (number: number) => ({ type: 'tariff.change', tariffId: trf(number) }),
  ];
  afterEach(() => fixture.moveOn(0));

  it('a consent receives the events that follow the correction of the clock', async () => {
    await fixture.moveClock(HOUR / 2);
    const { mpxn, path } = await following();
    await fixture.moveClock(0);
    await fixture.assign(mpxn, 3);
    expect(await tariffsOf(path)).toEqual([changed(3)]);
  });

  it('a consent receives the replacement of a tariff, although its own meter point is not written', async () => {
    const [mpxn, path] = [String(1_400_000_000 + ++next), `/clock-${next}`];
    await fixture.publish(300);
    await fixture.assign(mpxn, 300);
    await fixture.settled();
    await fixture.moveClock(HOUR / 2);
    const { caller } = await fixture.participant({ mpxns: [mpxn] });
    await fixture.consent(caller);
    await fixture.webhook(caller, path);
    await fixture.moveClock(0);
    await restart();
    const ahead = 'select from consent_meter_point where covered_at > register_now()';
    await until(async () => ((await fixture.owner.query(ahead)).rowCount === 0 ? true : undefined));
    await fixture.publish(301, { replaces: trf(300), validFrom: new Date(Date.now() - 60_000).toISOString() });
    expect(await tariffsOf(path)).toEqual([{ type: 'tariff.update', tariffId: trf(301) }]);
  });

  it.each([
    ['while the clock is ahead', true],
    ['after it is set back', false],
  ])(
    'an end of that time, published %s, ends the consents of the former occupant only',
    async (_, isPublishedAhead) => {
      const former = await following();
      await fixture.assign(former.mpxn, 1);
      await fixture.settled();
      await fixture.moveClock(HOUR / 2);
      if (isPublishedAhead) {
        await endNow(former.mpxn);
        await fixture.settled();
        await fixture.moveClock(0);
      } else {
        await beforeChangesAreApplied(fixture, async () => {
          await endNow(former.mpxn);
          await fixture.moveClock(0);
        });
      }
      await fixture.assign(former.mpxn, 2);
      await fixture.settled();
      const occupant = await nextOccupant(former.mpxn);
      await fixture.assign(former.mpxn, 3, 60);
      await fixture.moveOn(120);
      expect(await tariffsOf(occupant.path)).toEqual([changed(3)]);
      expect(await tariffsOf(former.path)).toEqual([changed(1), ended]);
      await fixture.moveOn(HOUR / 2 + 120);
      expect((await fixture.execute(CUSTOMER, {}, occupant.caller)).customerTariffs).toEqual([{ tariffId: trf(3) }]);
    },
  );

  it('a consent of that time is ended by an end that is recorded after the clock is set back', async () => {
    await fixture.moveClock(HOUR / 2);
    await fixture.assign(String(1_400_000_001 + next), 1, -HOUR);
    await fixture.settled();
    const former = await following();
    await fixture.moveClock(0);
    await endNow(former.mpxn);
    await fixture.assign(former.mpxn, 2);
    expect(await tariffsOf(former.path)).toEqual([ended]);
  });
});

describe('The tariffs that were modified since an instant', () => {
  const SINCE =
    'query ($filter: TariffFilter) { tariffs(first: 100, filter: $filter) { nodes { tariffId lastModified } } }';
  const modifiedSince = async (instant: number) =>
    (await fixture.execute(SINCE, { filter: { modifiedSince: new Date(instant).toISOString() } })).tariffs.nodes;
  afterEach(() => fixture.moveOn(0));

  it('include those that are published, corrected or given another end after the clock is set back', async () => {
    const ends = [3_000, 4_000].map((hours) => new Date(Date.now() + hours * HOUR * 1_000).toISOString());
    await fixture.publish(310);
    await fixture.publish(311, { validTo: ends[0] });
    await fixture.moveClock(2 * HOUR);
    await fixture.publish(312);
    const [newest] = await modifiedSince(0);
    expect(newest.tariffId).toBe(trf(312));
    await fixture.moveClock(0);
    await fixture.publish(313);
    await fixture.publish(310, { name: 'Corrected' });
    await fixture.publish(311, { validTo: ends[1] });
    const since = await modifiedSince(Date.parse(newest.lastModified) - 60_000);
    const ids = since.map(({ tariffId }: { tariffId: string }) => tariffId);
    expect(ids.toSorted()).toEqual([310, 311, 312, 313].map(trf));
  });
});

describe('What was recorded while the clock was ahead', () => {
  afterEach(() => fixture.moveClock(0));

  it('is corrected when a process starts and when the clock is set back, and once more for transactions that commit meanwhile', async () => {
    let corrections = 0;
    const check = whenSetBack(fixture.owner, async () => void (corrections += 1));
    const counts: number[] = [];
    for (const seconds of [0, 0, 0, HOUR, HOUR, 0, 0, 0]) {
      await fixture.moveClock(seconds);
      await check();
      counts.push(corrections);
    }
    expect(counts).toEqual([1, 2, 2, 2, 2, 3, 4, 4]);
  });
});

describe('Tariffs that were published while the clock was ahead', () => {
  const APPLIED = 'query ($mpxn: String!) { appliedTariff(mpxn: $mpxn) { tariffId } }';
  const VERSIONS = 'query ($id: String!) { tariff(tariffId: $id) { versions(first: 2) { nodes { publishedAt } } } }';
  const appliedTo = async (mpxn: string) =>
    (await fixture.execute(APPLIED, { mpxn }, ADMIN)).appliedTariff?.tariffId ?? null;
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
  const ofPath = async (path: string) => {
    await fixture.settled();
    return received(path).map(({ type, tariff_id: tariffId }) => [type, tariffId]);
  };
  /** Sets the clock back, and waits until a process has corrected when tariffs were published. */
  const setBack = async () => {
    await fixture.moveClock(0);
    await restart();
    const ahead = 'select from tariff_version where published_at > register_now()';
    await until(async () => ((await fixture.owner.query(ahead)).rowCount === 0 ? true : undefined));
  };
  /** Runs a step in which no process corrects when some tariffs were published: the correction passes over tariffs that are locked. */
  const uncorrected = async <Result>(numbers: readonly number[], step: () => Promise<Result>): Promise<Result> => {
    const held = await fixture.owner.connect();
    try {
      await held.query('begin');
      const lock = 'select from tariff where tariff_id = any($1) for no key update';
      expect((await held.query(lock, [numbers.map(trf)])).rowCount).toBe(numbers.length);
      return await step();
    } finally {
      await held.query('commit');
      held.release();
    }
  };
  afterEach(() => fixture.moveOn(0));

  it('are not corrected while a scheduled change is applied', async () => {
    const applying = await fixture.owner.connect();
    // The processes of the fixture, which wait for the lock too, have another login.
    const waiting = `select pg_stat_clear_snapshot();
      select from pg_stat_activity where datname = current_database() and usename = current_user and wait_event = 'advisory'`;
    const states: string[] = [];
    try {
      await applying.query(`begin; ${LOCK_CHANGES}`);
      const corrected = correctPublicationsAhead(fixture.owner).then(() => states.push('corrected'));
      await until(async () => {
        const [, sessions] = (await applying.query(waiting)) as unknown as QueryResult[];
        return sessions?.rowCount === 1 || undefined;
      });
      states.push('applied');
      await applying.query('commit');
      await corrected;
    } finally {
      applying.release(true); // a failed test keeps no lock
    }
    expect(states).toEqual(['applied', 'corrected']);
  });

  it('a replacement takes effect at its validFrom', async () => {
    const { mpxn, path } = await following();
    await fixture.publish(400);
    await fixture.assign(mpxn, 400, -60);
    await fixture.settled();
    await fixture.moveClock(20 * HOUR);
    await fixture.publish(401, { replaces: trf(400), validFrom: inSeconds(HOUR) });
    await setBack();
    const [first] = (await fixture.execute(VERSIONS, { id: trf(401) })).tariff.versions.nodes;
    expect(Date.parse(first.publishedAt)).toBeLessThanOrEqual(Date.now());
    expect(await appliedTo(mpxn)).toBe(trf(400));
    await fixture.moveOn(2 * HOUR);
    expect(await ofPath(path)).toEqual([
      ['tariff.change', trf(400)],
      ['tariff.update', trf(401)],
    ]);
    expect(await appliedTo(mpxn)).toBe(trf(401));
  });

  it('a replacement that took effect in that time is an event again, if the old tariff was one before the correction', async () => {
    const { mpxn, path } = await following();
    await fixture.publish(420);
    await fixture.assign(mpxn, 420, -60);
    await fixture.settled();
    await fixture.moveClock(20 * HOUR);
    await fixture.publish(421, { replaces: trf(420), validFrom: inSeconds(-60) });
    const former = await uncorrected([421], async () => {
      await fixture.moveOn(0);
      await fixture.assign(mpxn, 420);
      return ofPath(path);
    });
    expect(former.map(([, tariffId]) => tariffId)).toEqual([420, 421, 420].map(trf));
    await setBack();
    expect(await ofPath(path)).toEqual([...former, ['tariff.update', trf(421)]]);
  });

  it('their start and their end are events, also those that pass before the correction', async () => {
    const [starts, ends, started] = [await following(), await following(), await following()];
    await fixture.moveClock(2 * HOUR);
    await fixture.publish(410, { validFrom: inSeconds(HOUR) });
    await fixture.publish(411, { validTo: inSeconds(HOUR) });
    await fixture.publish(412, { validFrom: inSeconds(60) });
    await uncorrected([410, 411, 412], async () => {
      await fixture.moveClock(0);
      await fixture.assign(started.mpxn, 412);
      await fixture.settled();
      await fixture.moveClock(120);
      expect(await ofPath(started.path)).toEqual([]);
    });
    await restart();
    expect(await arrived(1, started.path)).toMatchObject([{ type: 'tariff.change', tariff_id: trf(412) }]);
    await setBack();
    await fixture.assign(starts.mpxn, 410);
    await fixture.assign(ends.mpxn, 411);
    await fixture.moveOn(HOUR + 60);
    expect(await ofPath(starts.path)).toEqual([['tariff.change', trf(410)]]);
    expect(await ofPath(ends.path)).toEqual([
      ['tariff.change', trf(411)],
      ['tariff.change', undefined],
    ]);
    expect([await appliedTo(starts.mpxn), await appliedTo(ends.mpxn)]).toEqual([trf(410), null]);
  });
});

describe('An RTI User that is disabled and reactivated', () => {
  const disableAndReactivate = async (user: { userId: string }) => {
    await fixture.setStatus(user, 'DISABLED');
    await fixture.setStatus(user, 'ACTIVE');
  };
  const statesOf = async (mpxn: string) => {
    const text = 'select state from delivery join event on event.id = event_id where mpxn_hash = $1';
    return (await fixture.owner.query(text, [mpxnCipher(fixture.keys).hash(mpxn)])).rows;
  };
  afterEach(() => fixture.moveOn(0));

  it('while the clock is ahead, receives later events', async () => {
    const user = await following();
    await fixture.moveClock(2 * HOUR);
    await disableAndReactivate(user);
    await fixture.moveClock(0);
    await fixture.assign(user.mpxn, 1);
    await fixture.settled();
    expect(received(user.path)).toMatchObject([{ type: 'tariff.change', tariff_id: trf(1) }]);
    expect(await statesOf(user.mpxn)).toEqual([{ state: 'delivered' }]);
  });

  it('after the clock is set back, does not receive an event of the time ahead that has waited', async () => {
    const user = await following();
    await fixture.setStatus(user, 'SUSPENDED');
    await fixture.moveClock(HOUR / 2);
    await fixture.assign(user.mpxn, 1);
    await fixture.settled();
    expect(await statesOf(user.mpxn)).toEqual([{ state: 'pending' }]);
    await fixture.moveClock(0);
    await disableAndReactivate(user);
    await restart();
    const ended = await until(async () => {
      const [{ state }] = await statesOf(user.mpxn);
      return state === 'pending' ? undefined : state;
    });
    expect([ended, received(user.path)]).toEqual(['superseded', []]);
  });
});

describe('While suppliers move ends of tariffs without pause', () => {
  it('a revocation is sent', async () => {
    const MOVES = 400;
    const { registrationId, path, mpxn } = await following();
    const ends = [3_000, 4_000].map((hours) => new Date(Date.now() + hours * HOUR * 1_000).toISOString());
    let isSent = false;
    const client = async (index: number) => {
      const number = 200 + index;
      let moves = 0;
      for (; moves < MOVES && !isSent; moves += 1) {
        const input = tariffInput(number, { validTo: ends[moves % 2] });
        await fixture.execute(PUBLISH, { input }, supplierOf('LAPW'));
      }
      return moves;
    };
    const clients = Promise.all([1, 2, 3, 4, 5, 6].map(client));
    await fixture.execute(REVOKE, { id: registrationId }, ADMIN);
    const sent = arrived(1, path).then((posts) => {
      isSent = true;
      return posts;
    });
    const moves = await clients;
    expect(Math.min(...moves)).toBeLessThan(MOVES);
    expect(await sent).toMatchObject([{ type: 'consent.revoked', mpxn }]);
  });
});
