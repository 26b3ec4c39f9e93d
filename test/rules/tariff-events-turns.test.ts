import { mpxnVault } from '../../subgraphs/tariffs/database/mpxn-vault';
import { EFFECTS_LOCK, LOOKS_AT_ONCE } from '../../subgraphs/tariffs/database/effect.repository';
import { type Planning, rowsRead } from '../support/grid-plans';
import { ADMIN, supplierOf, trf } from '../support/tariff-graph';
import { type TariffEventRoom, told, tariffEventRoom } from '../support/tariff-event-room';
import { until } from '../support/until';

const REVOKE = 'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }';
const REMOVE_WEBHOOK = 'mutation ($id: String!) { removeRtiWebhook(webhookId: $id) { webhookId } }';
const CUSTOMER = '{ customerTariffs { tariffId } }';
/** Milliseconds within which somebody else is told of an assignment. */
const SECONDS = 15_000;
/** The long form: as many as one statement of the database could not do in its time. */
const IS_LONG = process.env['TEST_LONG'] !== undefined;

let room: TariffEventRoom;
let next = 0;
let published = 50;
beforeAll(async () => {
  room = await tariffEventRoom();
});
afterEach(() => room.receiver.answer(() => 204));
afterAll(() => room?.close());

const freshMpxn = () => String(1_700_000_000 + ++next);
const typesAt = (path: string) =>
  told(room.receiver.received.filter((post) => post.path === path)).map(({ type }) => type);

/** MPxNs that are kept, by their hashes. */
async function meterPoints(count: number): Promise<Buffer[]> {
  const vault = mpxnVault(room.keys);
  const kept = Array.from({ length: count }, () => vault.seal(freshMpxn()));
  const values = [kept.map(({ hash }) => hash), kept.map(({ sealed }) => sealed)];
  await room.owner.query('insert into meter_point select * from unnest($1::bytea[], $2::bytea[])', values);
  return kept.map(({ hash }) => hash);
}

/** Consents at LAPW of so many MPxNs each; the ids of the registrations. */
async function consents(userId: string, hashes: readonly Buffer[], each: number): Promise<string[]> {
  const { rows } = await room.owner.query<{ id: string }>(
    `insert into tariff_consent (id, mpid, user_id, subject_hash)
     select gen_random_uuid(), 'LAPW', $1, sha256(convert_to($1 || number, 'utf8')) from generate_series(1, $2::integer) number
     returning id`,
    [userId, Math.ceil(hashes.length / each)],
  );
  const ids = rows.map(({ id }) => id);
  await room.owner.query(
    'insert into consent_meter_point (consent_id, mpxn_hash) select * from unnest($1::uuid[], $2::bytea[])',
    [hashes.map((_, index) => ids[Math.floor(index / each)]), hashes],
  );
  return ids;
}

/** An RTI User who follows an MPxN, and hears of it at a path. */
async function follower(path: string, mpxn = freshMpxn()) {
  const participant = await room.participant({ mpxns: [mpxn] });
  const { registrationId } = await room.consent(participant.caller);
  await room.webhook(participant.caller, path);
  return { ...participant, mpxn, registrationId };
}

const revokedOf = async (userId: string) => {
  const { rows } = await room.owner.query<{ events: number; mpxns: number }>(
    `select count(*)::int as events, count(distinct mpxn_hash)::int as mpxns
     from event join tariff_consent on tariff_consent.id = consent_id where type = 'consent.revoked' and user_id = $1`,
    [userId],
  );
  return rows[0];
};
const done = (kind: string) =>
  until(async () => {
    const { rowCount } = await room.owner.query(
      'select from tariff_effect where kind = $1 and done_at is null and cancelled_at is null',
      [kind],
    );
    return rowCount === 0 ? true : undefined;
  }, 90_000);
/** Lets nothing happen until all of it is due. */
async function dueTogether(causes: () => Promise<unknown>): Promise<void> {
  const blocker = await room.owner.connect();
  await blocker.query('begin');
  await blocker.query('select pg_advisory_xact_lock($1)', [EFFECTS_LOCK]);
  await causes();
  await blocker.query('commit');
  blocker.release();
}

/** How many events of a type were written after the change of an MPxN was: it did not wait for all of them, however fast the machine is. */
const writtenAfter = async (mpxn: string, type: string) => {
  const { rows } = await room.owner.query<{ events: number }>(
    `select count(*)::int as events from event where type = $1
       and (era, tx) > (select era, tx from event where type = 'tariff.change' and mpxn_hash = $2)`,
    [type, mpxnVault(room.keys).hash(mpxn)],
  );
  return rows[0]?.events;
};
const timed = async (work: () => Promise<unknown>) => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

describe('A revocation', () => {
  const MANY = IS_LONG ? 10_000 : 4_000;

  it('of a consent for thousands of MPxNs is answered at once, ends the sharing, and is told of each of them', async () => {
    const participant = await room.participant();
    const [id] = await consents(participant.userId, await meterPoints(MANY), MANY);
    const { webhookId } = await room.webhook(participant.caller, '/revoked');
    const { mpxn } = await follower('/beside-a-revocation');
    expect(await timed(() => room.ask(REVOKE, { id }, ADMIN))).toBeLessThan(2_000);
    expect(await room.refusal(CUSTOMER, {}, participant.caller)).toBe('RTI002');
    await room.assign(mpxn, 1);
    expect(await timed(() => room.posts(1, '/beside-a-revocation'))).toBeLessThan(SECONDS);
    await done('consent.revoked');
    expect(await revokedOf(participant.userId)).toEqual({ events: MANY, mpxns: MANY });
    const { rowCount } = await room.owner.query('select from delivery where endpoint_id = $1', [webhookId]);
    expect(rowCount).toBe(MANY);
    await room.ask(REMOVE_WEBHOOK, { id: webhookId }, participant.caller);
  }, 120_000);

  it('goes out whatever is held for its MPxN', async () => {
    const { mpxn, registrationId, ...participant } = await follower('/held');
    await room.consent(room.with(participant, { mpxns: [mpxn], subject: 'consumer-2' }));
    room.receiver.answer(() => 503);
    await room.assign(mpxn, 1);
    await room.posts(1, '/held');
    room.receiver.answer(() => 204);
    await room.ask(REVOKE, { id: registrationId }, ADMIN);
    await room.posts(2, '/held');
    expect(typesAt('/held').slice(0, 2)).toEqual(['tariff.change', 'consent.revoked']);
    const { rows } = await room.owner.query(
      `select state from delivery join event on event.id = event_id where type = 'tariff.change' and mpxn_hash = $1`,
      [mpxnVault(room.keys).hash(mpxn)],
    );
    expect(rows).toEqual([{ state: 'pending' }]);
  });

  it('together with many others is told of each, once', async () => {
    const participant = await room.participant();
    const ids = await consents(participant.userId, await meterPoints(3 * LOOKS_AT_ONCE), 7);
    await room.owner.query(
      `update tariff_consent set revoked_at = register_now(), revoked_by = 'admin' where id = any($1)`,
      [ids],
    );
    await done('consent.revoked');
    expect(await revokedOf(participant.userId)).toEqual({ events: 3 * LOOKS_AT_ONCE, mpxns: 3 * LOOKS_AT_ONCE });
  });
});

describe('What concerns many', () => {
  it('a removal with hundreds of consents of 20 MPxNs, holds up nobody else, and comes to its end', async () => {
    const participant = await room.participant();
    const mpxns = IS_LONG ? 12_000 : 4_000;
    await consents(participant.userId, await meterPoints(mpxns), 20);
    await room.webhook(participant.caller, '/removed');
    const { mpxn } = await follower('/beside-a-removal');
    await dueTogether(async () => {
      await room.setStatus(participant, 'REMOVED');
      await room.assign(mpxn, 1);
    });
    expect(await timed(() => room.posts(1, '/beside-a-removal'))).toBeLessThan(SECONDS);
    await done('rti_user.removed');
    await done('consent.revoked');
    expect(await writtenAfter(mpxn, 'consent.revoked')).toBeGreaterThan(0);
    expect(await revokedOf(participant.userId)).toEqual({ events: mpxns, mpxns });
  }, 180_000);

  it('a tariff that replaces another, holds up nobody else', async () => {
    const many = 5 * LOOKS_AT_ONCE;
    await room.publish(40);
    await room.owner.query('alter table tariff_step disable trigger effect');
    await room.owner.query(
      `insert into tariff_step (mpxn_hash, valid_from, tariff_id, mpid, account_id)
       select hash, '2026-01-01Z', $2, 'LAPW', 'acc' from unnest($1::bytea[]) hash`,
      [await meterPoints(many), trf(40)],
    );
    await room.owner.query('alter table tariff_step enable trigger effect');
    const { mpxn } = await follower('/beside-a-replacement');
    await dueTogether(async () => {
      await room.publish(41, { replaces: trf(40) });
      await room.assign(mpxn, 1);
    });
    await room.posts(1, '/beside-a-replacement');
    await done('replacement');
    expect(await writtenAfter(mpxn, 'tariff.change')).toBeGreaterThan(0);
    const { rowCount } = await room.owner.query('select from event where tariff_id = $1', [trf(41)]);
    expect(rowCount).toBe(many);
  }, 120_000);
});

describe('What fails', () => {
  /** Lets no event of an MPxN be written, until the function is called. */
  async function poisoned(mpxn: string): Promise<() => Promise<unknown>> {
    const hash = mpxnVault(room.keys).hash(mpxn).toString('hex');
    await room.owner.query(
      `create function poison() returns trigger language plpgsql as $$ begin raise exception 'poison'; end $$;
       create trigger poison before insert on event for each row when (new.mpxn_hash = '\\x${hash}') execute function poison()`,
    );
    return () => room.owner.query('drop trigger poison on event; drop function poison()');
  }

  it.each(['an assignment', 'a replacement', 'a revocation'] as const)(
    '%s, is put aside: others that are due with it or later are told, and it itself once it can be',
    async (which) => {
      const path = `/${which.replace(' ', '-')}`;
      const [bad, good] = [await follower(`${path}-bad`), await follower(`${path}-good`)];
      const number = (published += 2);
      await room.publish(number);
      await room.assign(bad.mpxn, number);
      await room.posts(1, `${path}-bad`);
      const cure = await poisoned(bad.mpxn);
      const happens = {
        'an assignment': () => room.assign(bad.mpxn, 2),
        'a replacement': () => room.publish(number + 1, { replaces: trf(number) }),
        'a revocation': () => room.ask(REVOKE, { id: bad.registrationId }, ADMIN),
      };
      await happens[which]();
      await room.assign(good.mpxn, 3);
      await room.posts(1, `${path}-good`);
      await until(async () => {
        const faulty = 'select from tariff_effect where done_at is null and faults > 0';
        return (await room.owner.query(faulty)).rowCount === 1 ? true : undefined;
      });
      await room.assign(good.mpxn, 4);
      await room.posts(2, `${path}-good`);
      expect(typesAt(`${path}-bad`)).toHaveLength(1);
      await cure();
      await until(() => (typesAt(`${path}-bad`).length === 2 ? true : undefined), 40_000);
      const types = {
        'an assignment': 'tariff.change',
        'a replacement': 'tariff.update',
        'a revocation': 'consent.revoked',
      };
      expect(typesAt(`${path}-bad`)[1]).toBe(types[which]);
    },
    90_000,
  );
});

describe('A list of events', () => {
  const LIST = '{ tariffEvents(first: 20, filter: { types: [SUPPLIER_CESSATION] }) { nodes { id } } }';

  it.each<Planning>(['force_generic_plan', 'force_custom_plan'])(
    'of a rare type at a supplier with many reads those only: %s',
    async (planning) => {
      await room.owner.query('alter table event disable trigger deliveries');
      await room.owner.query(
        `insert into event (type, occurred_at, mpid, mpxn_hash, tariff_id)
         select 'tariff.update', register_now(), 'LAPW', (select mpxn_hash from meter_point limit 1), $1 from generate_series(1, 50000)`,
        [trf(1)],
      );
      await room.owner.query(
        `insert into event (type, occurred_at, mpid) values ('supplier.cessation', register_now(), 'LAPW')`,
      );
      await room.owner.query('alter table event enable trigger deliveries');
      await room.owner.query('analyze event');
      const ask = (query: string) => room.ask(query, {}, supplierOf('LAPW'));
      const { rows, whole } = await rowsRead({ owner: room.owner, ask, asked: /wanted_type/ }, LIST, planning);
      expect(rows['event']).toBeGreaterThan(0);
      expect(rows['event']).toBeLessThan(100);
      expect(whole).not.toContain('event');
    },
  );
});
