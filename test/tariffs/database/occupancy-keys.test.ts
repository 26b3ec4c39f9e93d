import { Pool } from 'pg';
import pino from 'pino';
import type { Caller } from '../../../subgraphs/server/callers/caller';
import { sessionOptions } from '../../../subgraphs/server/database/database';
import { databaseAddress } from '../../../subgraphs/server/database/database-login';
import { fingerprintOf } from '../../../subgraphs/server/audit/audit.repository';
import { dueKeys } from '../../../subgraphs/server/occupancy-keys';
import { decryptValue } from '../../../subgraphs/server/encryption';
import { mpxnCipher } from '../../../subgraphs/tariffs/occupancies/mpxn-cipher.repository';
import { reencryptMpxns } from '../../../subgraphs/tariffs/occupancies/mpxn-storage.repository';
import { TARIFF_OCCUPANCIES } from '../../../subgraphs/tariffs/occupancies/tariff-occupancies.sql';
import { jumpedClock } from '../../support/access-database';
import { directlyEncrypted } from '../../support/directly-encrypted';
import { type TariffEventFixture, tariffEventFixture, bodiesOf } from '../../support/tariff-event-fixture';
import { ADMIN, ASSIGN, startReplica, supplierOf, trf } from '../../support/tariff-graph';
import { heldBy } from '../../support/held-lock';
import { until } from '../../support/until';

const END = 'mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { recordedAt } }';
const WITHDRAW_END = `mutation ($mpxn: String!, $tariffId: String!, $from: DateTime!) {
  assignTariff(mpxn: $mpxn, tariffId: $tariffId, from: $from, withdrawsEnd: true) { recordedAt } }`;
const ERASE = 'mutation ($mpxn: String!) { eraseEndedOccupancies(mpxn: $mpxn) { erased retained } }';
const REVOKE = 'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }';
const CONSENTS = `query ($userId: String) { tariffConsents(first: 100, filter: { userId: $userId }) { nodes { registrationId mpxns } } }`;
const REJECTED = { code: '23001' };
const DAY = 86_400;
const HOUR = 3_600;

let fixture: TariffEventFixture;
/** Connections with the login of the subgraph. */
let pool: Pool;
let next = 1_500_000_000;

beforeAll(async () => {
  fixture = await tariffEventFixture();
  pool = new Pool(sessionOptions(databaseAddress(fixture.url, 'tariffs', fixture.keys.hashKey)));
});
afterEach(() => fixture.moveClock(0));
afterAll(async () => {
  await pool?.end();
  await fixture?.close();
});

const silent = pino({ level: 'silent' });
const newMpxn = () => String(++next);
const hashOf = (mpxn: string) => mpxnCipher(fixture.keys).hash(mpxn);

/**
 * Returns the number of seconds from now until an instant that is the given months, plus the given seconds, later. What ended up to the given
 * seconds after now ended at least the given months before that instant: from 31 March, "one month later" is 1 May, since one month before
 * 30 April is 30 March. With negative seconds, what ends now ended less than the given months before it.
 */
async function secondsTo(months: number, seconds = 0): Promise<number> {
  const { rows } = await fixture.owner.query(
    `select extract(epoch from later - now())::int + $2 as seconds
     from (select $2 * interval '1 second' as more) seconds, generate_series(0, 3) days,
       lateral (select now() + $1 * interval '1 month' + days * interval '1 day' as later) instant
     where $2 < 0 or later + more - $1 * interval '1 month' >= now() + more order by days limit 1`,
    [months, seconds],
  );
  return rows[0].seconds as number;
}

const end = async (mpxn: string, inSeconds = 0) =>
  fixture.execute(
    END,
    { mpxn, at: new Date((await fixture.now()).getTime() + inSeconds * 1_000).toISOString() },
    ADMIN,
  );

/** Returns the MPxNs that the supplier reads in the consents of an RTI User, the last granted consent first. */
const consented = async (userId: string): Promise<(string | null)[][]> =>
  (await fixture.execute(CONSENTS, { userId }, supplierOf('LAPW'))).tariffConsents.nodes.map(
    ({ mpxns }: { mpxns: string[] }) => mpxns,
  );

/** Returns the MPxNs that the supplier reads in the events of a meter point, oldest first. */
async function logged(mpxn: string): Promise<(string | null)[]> {
  const { rows } = await fixture.owner.query('select id from event where mpxn_hash = $1 order by era, tx, position', [
    hashOf(mpxn),
  ]);
  const seen = await Promise.all(
    rows.map(({ id }) =>
      fixture.running.link.execute(
        {
          query: 'query ($of: [_Any!]!) { _entities(representations: $of) { ... on TariffEvent { mpxn } } }',
          variables: { of: [{ __typename: 'TariffEvent', id }] },
          fixed: true,
        },
        {
          caller: supplierOf('LAPW'),
          service: null,
          transactionId: `tid_${'0'.repeat(24)}`,
          clientAddress: '127.0.0.1',
        },
      ),
    ),
  );
  return seen.map(({ data }) => (data as { _entities: { mpxn: string | null }[] })._entities[0]?.mpxn ?? null);
}

/** Returns how many values of an MPxN can be decrypted with every existing key, whatever key the rows name. */
async function readable(mpxn: string): Promise<{ direct: number; keyed: number }> {
  const { encryptionKey } = fixture.keys;
  const { rows } = await fixture.owner.query('select id, wrapped from tariffs_keys.occupancy_key');
  const keys = rows.map(({ id, wrapped }) => decryptValue(encryptionKey, wrapped, `occupancy_key ${id}`));
  const { rows: sealed } = await fixture.owner.query<{ sealed: Buffer }>(
    `select mpxn_sealed as sealed from meter_point where mpxn_hash = $1 and mpxn_sealed is not null
     union all select mpxn_sealed from occupancy_mpxn where mpxn_hash = $1`,
    [hashOf(mpxn)],
  );
  const opens = (key: Buffer, value: Buffer) => {
    try {
      return decryptValue(key, value, `mpxn ${hashOf(mpxn).toString('hex')}`).toString('utf8') === mpxn;
    } catch {
      return false;
    }
  };
  return {
    direct: sealed.filter((each) => opens(encryptionKey, each.sealed)).length,
    keyed: sealed.filter((each) => keys.some((key) => opens(key, each.sealed))).length,
  };
}

/** Runs a complete sweep, as the subgraph does each hour. */
async function sweep(): Promise<void> {
  const walk = dueKeys(pool, TARIFF_OCCUPANCIES);
  while ((await walk()) > 0);
}

/** Creates a consumer with a consent and a tariff, whose RTI User receives events at a path. */
async function occupant(
  mpxn: string,
  subject: string,
): Promise<{ userId: string; caller: Caller; registrationId: string }> {
  const { userId, caller } = await fixture.participant({ mpxns: [mpxn], subject });
  const { registrationId } = await fixture.consent(caller);
  await fixture.webhook(caller, `/${subject}`);
  await fixture.assign(mpxn, 1);
  await fixture.settled();
  return { userId, caller, registrationId };
}

const posted = (path: string) => bodiesOf(fixture.receiver.received.filter((post) => post.path === `/${path}`));

describe('Thirteen months after an assignment ended', () => {
  it('its MPxN is unreadable everywhere, while that of the present occupant is readable and events continue', async () => {
    const mpxn = newMpxn();
    const former = await occupant(mpxn, 'former-1');
    await end(mpxn);
    await fixture.settled();
    const present = await occupant(mpxn, 'present-1');
    expect([await consented(former.userId), await consented(present.userId)]).toEqual([[[mpxn]], [[mpxn]]]);
    expect(await logged(mpxn)).toEqual([mpxn, mpxn, mpxn]);
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 2 });
    await fixture.moveClock(await secondsTo(13, -HOUR));
    await sweep();
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 2 });
    const correct = await jumpedClock(fixture.owner, `${await secondsTo(13, HOUR)} s`);
    await sweep().finally(correct);
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 2 });
    await fixture.moveClock(await secondsTo(13, HOUR));
    await sweep();
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 1 });
    expect([await consented(former.userId), await consented(present.userId)]).toEqual([[[null]], [[mpxn]]]);
    expect(await logged(mpxn)).toEqual([null, null, mpxn]);
    await fixture.assign(mpxn, 2);
    await fixture.settled();
    expect(posted('present-1').map((body) => [body.type, body.mpxn])).toEqual([
      ['tariff.change', mpxn],
      ['tariff.change', mpxn],
    ]);
    expect(posted('former-1')).toHaveLength(2); // the end of its assignment is the last one
  });

  it('no copy of its MPxN is readable, also if an end was planned and withdrawn', async () => {
    const mpxn = newMpxn();
    await fixture.assign(mpxn, 1);
    const planned = new Date((await fixture.now()).getTime() + 2 * HOUR * 1_000).toISOString();
    const endAt = (at: string) => fixture.execute(END, { mpxn, at }, supplierOf('LAPW'));
    await endAt(planned);
    await fixture.execute(ASSIGN, { mpxn, tariffId: trf(2), from: planned }, supplierOf('LAPW'));
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 2 });
    await fixture.execute(WITHDRAW_END, { mpxn, tariffId: trf(3), from: planned }, supplierOf('LAPW'));
    await sweep();
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 1 });
    await end(mpxn);
    await fixture.settled();
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 2 }); // of the former occupant, and of the next one
    await fixture.moveClock(await secondsTo(13, HOUR));
    await sweep();
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 1 });
  });

  it('no copy of its MPxN is readable, also if it ended while the clock was ahead', async () => {
    const mpxn = newMpxn();
    await fixture.assign(mpxn, 1);
    await fixture.settled();
    await fixture.moveClock(2 * DAY);
    const at = new Date().toISOString();
    await fixture.execute(END, { mpxn, at }, supplierOf('LAPW'));
    await fixture.execute(ASSIGN, { mpxn, tariffId: trf(2), from: at }, ADMIN);
    await fixture.moveClock(0);
    await fixture.assign(mpxn, 3);
    await end(mpxn);
    await fixture.settled();
    await fixture.moveClock(await secondsTo(13, HOUR));
    await sweep();
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 0 });
  });

  it('events of the next occupancy contain the MPxN, whichever of the two was planned first', async () => {
    for (const endFirst of [true, false]) {
      const mpxn = newMpxn();
      await fixture.assign(mpxn, 1);
      if (endFirst) await end(mpxn, HOUR);
      await fixture.assign(mpxn, 2, 2 * HOUR);
      if (!endFirst) await end(mpxn, HOUR);
      await fixture.moveOn(3 * HOUR);
      await fixture.settled();
      expect(await logged(mpxn)).toEqual([mpxn, mpxn, mpxn]);
      await fixture.moveClock(await secondsTo(13, 2 * HOUR));
      await sweep();
      expect(await logged(mpxn)).toEqual([null, null, mpxn]);
      await fixture.moveClock(0);
    }
  });

  it('the MPxN of a meter point without a next occupancy is stored nowhere any more', async () => {
    const mpxn = newMpxn();
    await fixture.assign(mpxn, 1);
    await end(mpxn);
    await fixture.moveClock(await secondsTo(13, HOUR));
    await sweep();
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 0 });
  });
});

describe('A present occupancy', () => {
  it('retains its MPxN without limit, and its key cannot be deleted', async () => {
    const mpxn = newMpxn();
    const { userId } = await occupant(mpxn, 'lasting');
    await fixture.moveClock(await secondsTo(40));
    await sweep();
    expect([await consented(userId), await logged(mpxn)]).toEqual([[[mpxn]], [mpxn]]);
    const destroy = 'delete from tariffs_keys.occupancy_key where premises = $1';
    const rewrite = `update tariffs.occupancy_mpxn set key_id = gen_random_uuid() where mpxn_hash = $1`;
    for (const session of [pool, fixture.owner]) {
      await expect(session.query(destroy, [hashOf(mpxn)])).rejects.toMatchObject(REJECTED);
      await expect(session.query(rewrite, [hashOf(mpxn)])).rejects.toMatchObject(REJECTED);
    }
  });

  it('has one key and one MPxN, however many consents and assignments are concurrent', async () => {
    const mpxn = newMpxn();
    const people = await Promise.all(
      [1, 2, 3, 4].map((n) => fixture.participant({ mpxns: [mpxn], subject: `at-once-${n}` })),
    );
    await Promise.all([
      ...people.map(({ caller }) => fixture.consent(caller)),
      ...[1, 2, 3].map((number) => fixture.assign(mpxn, number, number * HOUR)),
      fixture.assign(mpxn, 4, -HOUR).then(() => end(mpxn, 4 * HOUR)),
    ]);
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 1 });
    for (const { userId } of people) expect(await consented(userId)).toEqual([[mpxn]]);
  });
});

describe('An admin who erases an MPxN', () => {
  const erase = async (mpxn: string) => (await fixture.execute(ERASE, { mpxn }, ADMIN)).eraseEndedOccupancies;

  it('erases the ended occupancies that no consent needs, receives their number, and leaves the present one unchanged', async () => {
    const mpxn = newMpxn();
    const former = await occupant(mpxn, 'former-2');
    await end(mpxn);
    const present = await occupant(mpxn, 'present-2');
    expect(await erase(mpxn)).toEqual({ erased: 0, retained: 1 });
    await fixture.execute(REVOKE, { id: former.registrationId }, ADMIN);
    await fixture.settled();
    expect(posted('former-2').map((body) => [body.type, body.mpxn])).toContainEqual(['consent.revoked', mpxn]);
    expect(await erase(mpxn)).toEqual({ erased: 0, retained: 1 });
    await fixture.moveClock(4 * DAY + HOUR);
    expect(await erase(mpxn)).toEqual({ erased: 1, retained: 0 });
    expect(await erase(mpxn)).toEqual({ erased: 0, retained: 0 });
    expect([await consented(former.userId), await consented(present.userId)]).toEqual([[[null]], [[mpxn]]]);
    expect(await logged(mpxn)).toEqual([null, null, mpxn, null]);
    const { rows } = await fixture.owner.query('select account_id from occupancy_erasure');
    expect(rows).toEqual([{ account_id: ADMIN.accountId }]);
  });

  it('erases nothing while the clock has jumped beyond a planned end', async () => {
    const mpxn = newMpxn();
    await fixture.assign(mpxn, 1);
    await end(mpxn, 20 * DAY);
    const correct = await jumpedClock(fixture.owner, '60 days');
    expect(await fixture.errorOf(ERASE, { mpxn }, ADMIN).finally(correct)).toMatch(/^SYS001/);
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 1 });
  });

  it('must pass a valid MPxN', async () => {
    expect(await fixture.errorOf(ERASE, { mpxn: 'x' }, ADMIN)).toBe('VAL001 mpxn');
  });

  it('leaves nothing to send: a waiting delivery is superseded', async () => {
    const mpxn = newMpxn();
    const { userId, registrationId } = await occupant(mpxn, 'former-3');
    await end(mpxn);
    await fixture.settled();
    const [webhook] = (await fixture.owner.query('select id from webhook where user_id = $1', [userId])).rows;
    await fixture.owner.query(`insert into event (type, occurred_at, mpid, mpxn_hash, consent_id)
      values ('consent.revoked', register_now(), 'LAPW', '\\x${hashOf(mpxn).toString('hex')}', '${registrationId}')`);
    await fixture.settled();
    const states = async () =>
      (
        await fixture.owner.query(
          `select state from delivery join event on event.id = event_id where endpoint_id = $1 and type = 'consent.revoked'`,
          [webhook.id],
        )
      ).rows;
    expect(await states()).toEqual([{ state: 'delivered' }]);
    await fixture.owner.query(
      'insert into occupancy_erasure (key_id) select id from tariffs_keys.occupancy_key where premises = $1',
      [hashOf(mpxn)],
    );
    await sweep();
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 0 });
    await fixture.owner.query(`insert into event (type, occurred_at, mpid, mpxn_hash, consent_id)
      values ('consent.revoked', register_now(), 'LAPW', '\\x${hashOf(mpxn).toString('hex')}', '${registrationId}')`);
    await fixture.settled();
    expect((await states()).map(({ state }) => state).toSorted()).toEqual(['delivered', 'superseded']);
  });
});

describe('MPxNs that the previous release has stored', () => {
  /** Converts rows to their form before migration 0003: the MPxN encrypted once, for all occupancies. */
  async function storedBefore(mpxn: string): Promise<void> {
    const { hash, sealed } = directlyEncrypted(fixture.keys, mpxn);
    const tables = ['meter_point', 'occupancy_mpxn', 'tariffs_keys.occupancy_key'];
    for (const table of tables) await fixture.owner.query(`alter table ${table} disable trigger user`);
    await fixture.owner.query('update meter_point set mpxn_sealed = $2 where mpxn_hash = $1', [hash, sealed]);
    await fixture.owner.query('delete from occupancy_mpxn where mpxn_hash = $1', [hash]);
    await fixture.owner.query('delete from tariffs_keys.occupancy_key where premises = $1', [hash]);
    for (const table of tables) await fixture.owner.query(`alter table ${table} enable trigger user`);
  }

  it('remain readable, and are re-encrypted per occupancy by any number of replicas, even if one is killed', async () => {
    const mpxns = [newMpxn(), newMpxn()];
    const formers = [];
    for (const mpxn of mpxns) {
      const former = await occupant(mpxn, `former-${mpxn}`);
      await end(mpxn);
      await occupant(mpxn, `present-${mpxn}`);
      await storedBefore(mpxn);
      formers.push(former);
      expect([await logged(mpxn), await consented(former.userId)]).toEqual([[mpxn, mpxn, mpxn], [[mpxn]]]);
    }
    const settle = () => reencryptMpxns(pool, mpxnCipher(fixture.keys), silent);
    await fixture.owner.query(`
      create function kill() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$;
      create trigger killed before update on meter_point for each row when (new.mpxn_hash = '\\x${hashOf(mpxns[1] as string).toString('hex')}')
        execute function kill()`);
    await expect(settle()).rejects.toThrow('killed');
    await fixture.owner.query('drop trigger killed on meter_point');
    expect(await readable(mpxns[0] as string)).toEqual({ direct: 1, keyed: 0 });
    await Promise.all([settle(), settle(), settle()]);
    for (const [n, mpxn] of mpxns.entries()) {
      expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 2 });
      expect([await logged(mpxn), await consented(formers[n]?.userId as string)]).toEqual([
        [mpxn, mpxn, mpxn],
        [[mpxn]],
      ]);
    }
  });

  it('are re-encrypted although others are damaged, which one log line names without an MPxN', async () => {
    const [damaged, intact] = [newMpxn(), newMpxn()].toSorted((one, other) => hashOf(one).compare(hashOf(other))) as [
      string,
      string,
    ];
    for (const mpxn of [damaged, intact]) {
      await occupant(mpxn, `lives-at-${mpxn}`);
      await storedBefore(mpxn);
    }
    const storeDirectly = (sealed: string) =>
      fixture.owner.query(
        `begin; set local session_replication_role = replica;
         update meter_point set mpxn_sealed = ${sealed} where mpxn_hash = '\\x${hashOf(damaged).toString('hex')}'; commit`,
      );
    await storeDirectly(`'\\x00'`);
    const lines: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    await reencryptMpxns(pool, mpxnCipher(fixture.keys), logger);
    expect(await readable(intact)).toEqual({ direct: 0, keyed: 1 });
    const kept = 'select from meter_point where mpxn_hash = $1 and mpxn_sealed is not null';
    expect((await fixture.owner.query(kept, [hashOf(damaged)])).rowCount).toBe(1);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ level: 50, rows: 1, ids: [fingerprintOf(hashOf(damaged))] }),
    ]);
    expect(lines.join()).not.toContain(damaged);
    await storeDirectly('null');
  });

  it('are re-encrypted by a replica that starts, which also destroys due keys', async () => {
    const [mpxn, ended] = [newMpxn(), newMpxn()];
    await occupant(mpxn, `lives-at-${mpxn}`);
    await fixture.assign(ended, 1);
    await end(ended);
    await storedBefore(mpxn);
    await fixture.moveClock(await secondsTo(13, HOUR));
    const replica = await startReplica(fixture);
    try {
      await until(
        async () => ((await readable(mpxn)).direct === 0 && (await readable(ended)).keyed === 0) || undefined,
      );
      expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 1 });
    } finally {
      await replica.close();
    }
  });

  it('are deleted at once if the occupancy ended long ago', async () => {
    const mpxn = newMpxn();
    await fixture.assign(mpxn, 1);
    await end(mpxn);
    await fixture.settled();
    await storedBefore(mpxn);
    await fixture.moveClock(await secondsTo(13, HOUR));
    await reencryptMpxns(pool, mpxnCipher(fixture.keys), silent);
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 0 });
    await expect(
      pool.query(`update meter_point set mpxn_sealed = '\\x00' where mpxn_hash = $1`, [hashOf(mpxn)]),
    ).rejects.toMatchObject(REJECTED);
  });

  it('can be erased on request', async () => {
    const mpxn = newMpxn();
    await fixture.assign(mpxn, 1);
    await end(mpxn);
    await storedBefore(mpxn);
    expect((await fixture.execute(ERASE, { mpxn }, ADMIN)).eraseEndedOccupancies).toEqual({ erased: 1, retained: 0 });
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 0 });
  });

  it('can be erased on request while a replica re-encrypts them', async () => {
    const mpxn = newMpxn();
    await fixture.assign(mpxn, 1);
    await end(mpxn);
    await storedBefore(mpxn);
    const lock = await heldBy(fixture.owner, 'select pg_advisory_xact_lock(lock_of_mpxn($1))', [hashOf(mpxn)]);
    const erased = fixture.execute(ERASE, { mpxn }, ADMIN);
    await lock.isWaitedFor();
    const reencrypted = reencryptMpxns(pool, mpxnCipher(fixture.keys), silent);
    await lock.isWaitedFor(2);
    await lock.release();
    expect((await erased).eraseEndedOccupancies).toEqual({ erased: 1, retained: 0 });
    await reencrypted;
    expect(await readable(mpxn)).toEqual({ direct: 0, keyed: 0 });
  });
});
