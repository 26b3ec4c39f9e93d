import { ConsentQueries } from '../../../subgraphs/tariffs/consents/consent.queries';
import type { Database } from '../../../subgraphs/server/database/database';
import { mpxnCipher } from '../../../subgraphs/tariffs/occupancies/mpxn-cipher.repository';
import { directlyEncrypted } from '../../support/directly-encrypted';
import { untilOneWaits } from '../../support/lock-waiters';
import { type TariffEventFixture, tariffEventFixture } from '../../support/tariff-event-fixture';
import { supplierOf } from '../../support/tariff-graph';

const [CONSENTS, MPXNS_OF_CONSENT] = [30, 200];
const LIST = '{ tariffConsents(first: 100) { nodes { registrationId mpxns(first: 500) } } }';

let fixture: TariffEventFixture;
let next = 0;
beforeAll(async () => {
  fixture = await tariffEventFixture();
});
afterAll(() => fixture?.close());

const freshMpxns = (count: number) => Array.from({ length: count }, () => String(1_600_000_000 + ++next));

/** Inserts consents at LAPW, each for MPxNs of its own; returns their ids. */
async function storedConsents(): Promise<readonly string[]> {
  const { userId } = await fixture.participant();
  const stored = freshMpxns(CONSENTS * MPXNS_OF_CONSENT).map((mpxn) => directlyEncrypted(fixture.keys, mpxn));
  const { rows } = await fixture.owner.query<{ id: string }>(
    `insert into tariff_consent (id, mpid, user_id, subject_hash)
     select gen_random_uuid(), 'LAPW', $1, sha256(convert_to($1 || number, 'utf8')) from generate_series(1, $2::integer) number
     returning id`,
    [userId, CONSENTS],
  );
  const hashes = stored.map(({ hash }) => hash);
  await fixture.owner.query('insert into meter_point select * from unnest($1::bytea[], $2::bytea[])', [
    hashes,
    stored.map(({ sealed }) => sealed),
  ]);
  const ids = rows.map(({ id }) => id);
  await fixture.owner.query(
    'insert into consent_meter_point (consent_id, mpxn_hash) select * from unnest($1::uuid[], $2::bytea[])',
    [hashes.map((_, index) => ids[Math.floor(index / MPXNS_OF_CONSENT)]), hashes],
  );
  return ids;
}

describe('Consents of many businesses', () => {
  it('are read without the connections that admit consumers, and decrypted while other requests proceed', async () => {
    const ids = await storedConsents();
    const cipher = mpxnCipher(fixture.keys);
    const rejected = () => Promise.reject(new Error('a short read'));
    const reads = { rows: rejected, byKey: () => rejected } as unknown as Database['reads'];
    const passedInTick = new Map<number, number>();
    let ticks = 0;
    let isEnded = false;
    const tick = () => {
      ticks += 1;
      if (!isEnded) setImmediate(tick);
    };
    tick();
    const queries = new ConsentQueries({ pool: fixture.owner, reads } as Database, {
      decrypt(stored) {
        passedInTick.set(ticks, (passedInTick.get(ticks) ?? 0) + 1);
        return cipher.decrypt(stored);
      },
    });
    const lists = await Promise.all(ids.map((id) => queries.mpxnsOf(id, { first: 500, offset: 0 }))).finally(
      () => (isEnded = true),
    );
    expect(lists.flat()).toHaveLength(CONSENTS * MPXNS_OF_CONSENT);
    expect(Math.max(...passedInTick.values())).toBeLessThan((CONSENTS * MPXNS_OF_CONSENT) / 10);
    const { nodes } = (await fixture.execute(LIST, {}, supplierOf('LAPW'))).tariffConsents;
    expect(nodes.map(({ mpxns }: { mpxns: string[] }) => mpxns.length)).toEqual(ids.map(() => MPXNS_OF_CONSENT));
  });
});

describe('The MPxNs of a consent', () => {
  const MPXNS =
    'query ($first: Int!, $offset: Int!) { tariffConsents(first: 1) { nodes { mpxns(first: $first, offset: $offset) } } }';
  const listed = async (first: number, offset: number): Promise<string[]> =>
    (await fixture.execute(MPXNS, { first, offset }, supplierOf('LAPW'))).tariffConsents.nodes[0].mpxns;

  it('are listed in parts, each once, also while a further token adds some', async () => {
    const participant = await fixture.participant();
    const [before, added] = [freshMpxns(250), freshMpxns(30)];
    await fixture.consent(fixture.with(participant, { mpxns: before, subject: 'chain-store' }));
    const first = await listed(120, 0);
    await fixture.consent(fixture.with(participant, { mpxns: added, subject: 'chain-store' }));
    const others = [await listed(120, 120), await listed(120, 240), await listed(120, 360)];
    expect(others.map(({ length }) => length)).toEqual([120, 40, 0]);
    expect([...first, ...others.flat()].toSorted()).toEqual([...before, ...added].toSorted());
  });

  it('are 500 at most in a list', async () => {
    await expect(listed(501, -1)).rejects.toThrow(/"path":\["first"\].*"path":\["offset"\]/);
  });
});

describe('A grant for hundreds of meter points', () => {
  it('waits for the previous one of its supplier, so that locks remain for others; a usual grant does not wait', async () => {
    const participant = await fixture.participant();
    const [held, ...large] = [1, 2, 3].map(() => freshMpxns(120));
    const usual = freshMpxns(3);
    const blocker = await fixture.owner.connect();
    await blocker.query('begin');
    await blocker.query('select pg_advisory_xact_lock(lock_of_mpxn($1))', [
      mpxnCipher(fixture.keys).hash(String(held?.[0])),
    ]);
    const grant = (mpxns: readonly string[], subject: string) =>
      fixture.consent(fixture.with(participant, { mpxns, subject }));
    const first = grant(held ?? [], 'business-0');
    const others = large.map((mpxns, index) => grant(mpxns, `business-${index + 1}`));
    let ended = 0;
    for (const other of others) void other.then(() => (ended += 1));
    try {
      await untilOneWaits(blocker, first);
      expect(await grant(usual, 'consumer-of-three')).toMatchObject({ isNew: true });
      expect(ended).toBe(0);
    } finally {
      await blocker.query('commit');
      blocker.release();
    }
    expect(await Promise.all([first, ...others])).toMatchObject([1, 2, 3].map(() => ({ isNew: true })));
    const { nodes } = (
      await fixture.execute('{ tariffConsents(first: 4) { nodes { mpxns(first: 500) } } }', {}, supplierOf('LAPW'))
    ).tariffConsents;
    expect(nodes.map(({ mpxns }: { mpxns: string[] }) => mpxns.length).toSorted()).toEqual([120, 120, 120, 3]);
  });
});
