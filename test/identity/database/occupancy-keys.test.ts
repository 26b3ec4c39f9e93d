import { randomInt, randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import pino from 'pino';
import { blindIndexes } from '../../../subgraphs/identity/records/blind-index';
import { IDENTITY_OCCUPANCIES } from '../../../subgraphs/identity/occupancy/identity-occupancies.queries';
import { eraseOccupancy } from '../../../subgraphs/identity/occupancy/occupancy-erasure.flow';
import { reencryptIdentityMpxns } from '../../../subgraphs/identity/occupancy/mpxn-reencryption.flow';
import type { Caller } from '../../../subgraphs/server/callers/caller';
import { type Database, sessionOptions } from '../../../subgraphs/server/database/database';
import { destroyDueKeys, dueKeys, occupancyKeys } from '../../../subgraphs/server/occupancy-keys';
import { encryptValue } from '../../../subgraphs/server/encryption';
import { type PersonalDataCipher, personalDataCipher } from '../../../subgraphs/identity/records/personal-data-cipher';
import { inTransaction } from '../../../subgraphs/server/database/transaction';
import { databaseAddress } from '../../../subgraphs/server/database/database-login';
import { readableMpxns } from '../../support/readable-mpxns';
import { databasePlaces, findings } from '../../support/secret-scan';
import { type SignInFixture, newMpxn, startSignInFixture } from '../../support/sign-in-fixture';
import { until } from '../../support/until';
import { OPERATOR } from '../../support/operator-caller';

const REPORT = 'mutation ($input: DiscoveredAccessInput!) { reportDiscoveredAccess(input: $input) { isNew } }';
const RECORD = `mutation ($input: ChangeOfTenancyInput!) {
  recordChangeOfTenancy(input: $input) { mpxn effectiveDate sourceReference activeRecordsAffected dataUsersNotified isNew } }`;
const ANONYMISE = 'mutation ($ir: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ir) { anonymisedAt } }';
const REJECTED = { code: '23001' };

let fixture: SignInFixture;
let dataUser: Caller;
/** Connections with the login of the subgraph. */
let pool: Pool;

beforeAll(async () => {
  fixture = await startSignInFixture();
  dataUser = await fixture.dataUser();
  pool = new Pool(sessionOptions(databaseAddress(fixture.databaseUrl, 'identity', fixture.keys.hashKey)));
});
afterEach(() => fixture.moveClock(0));
afterAll(async () => {
  await pool?.end();
  await fixture?.close();
});

const keysOfOccupancies = () => occupancyKeys(IDENTITY_OCCUPANCIES, fixture.keys.encryptionKey);
const indexOf = (mpxn: string) => blindIndexes(fixture.keys.indexKey).mpxn(mpxn);

/**
 * The day that is `days` and `months` from today, in Great Britain; the first day of the next month if the month has no such day. Retention
 * counts months backwards, and from 30 September thirteen months lead to 30 August, not to the 31st.
 */
async function day(days = 0, months = 0): Promise<string> {
  const { rows } = await fixture.owner.query(
    `select to_char(later + $1 * interval '1 day', 'YYYY-MM-DD') as day
     from (select now() at time zone 'Europe/London' as present) clock, generate_series(0, 3) more,
       lateral (select present + $2 * interval '1 month' + more * interval '1 day' as later) instant
     where later - $2 * interval '1 month' >= present order by more limit 1`,
    [days, months],
  );
  return rows[0].day as string;
}

/** Moves the clock to noon of a day. */
const moveTo = async (date: string) =>
  fixture.moveClock(Math.round((Date.parse(`${date}T12:00:00Z`) - Date.now()) / 1_000));

async function sighting(mpxn: string): Promise<void> {
  const input = {
    ...{ mpxn, organisationName: 'Gadwall Analytics', organisationReference: `ORG-${randomInt(1e9)}` },
    ...{ firstSeen: '2026-03-01', dataTypesObserved: ['HH_CONSUMPTION'], sourceReference: 'REPORT-1' },
  };
  expect((await fixture.executeInAccess(REPORT, { input }, { caller: OPERATOR })).codes).toEqual([]);
}

/** Returns the cipher of the subgraph, and the number of records that it has decrypted. */
function countingCipher(): { readonly cipher: PersonalDataCipher; readonly count: () => number } {
  const cipher = personalDataCipher(fixture.keys.encryptionKey);
  let count = 0;
  const open: PersonalDataCipher['open'] = (...encrypted) => {
    count += 1;
    return cipher.open(...encrypted);
  };
  return { cipher: { ...cipher, open }, count: () => count };
}

/** Stores records as consents of Interface B do, at one meter point. */
async function consents(mpxn: string, moveInDate: string, count: number): Promise<void> {
  const cipher = personalDataCipher(fixture.keys.encryptionKey);
  const personal = { piiPrincipal: { mpxn, moveInDate, address: null }, principalVerification: null, email: null };
  const ids = Array.from({ length: count }, () => randomUUID());
  const encrypted = ids.map((id) => cipher.encryptValue(id, personal));
  await pool.query(
    `with record as (
       insert into identity_record (id, ref, duid, mpxn_index, meter_point_id, expressed_by, form, sealed, is_verified, is_legacy)
       select id, 'ir_' || left(translate(id::text, '-', ''), 24), $3, $4, 'opaque', 'data-subject', 1, sealed, false, true
       from unnest($1::uuid[], $2::bytea[]) as new (id, sealed))
     insert into identity_keys.data_key (record_id, wrapped) select id, wrapped from unnest($1::uuid[], $5::bytea[]) as new (id, wrapped)`,
    [
      ids,
      encrypted.map(({ sealed }) => sealed),
      dataUser.duid,
      indexOf(mpxn),
      encrypted.map((each) => each.wrappedKey),
    ],
  );
}

async function change(mpxn: string, effectiveDate: string, sourceReference = `COT-${randomInt(1e9)}`) {
  const input = { mpxn, effectiveDate, sourceReference };
  const { data, codes } = await fixture.execute(RECORD, { input }, { caller: OPERATOR });
  expect(codes).toEqual([]);
  return data.recordChangeOfTenancy;
}

const record = (mpxn: string, moveInDate: string) => fixture.newRecord(dataUser, {}, { mpxn, moveInDate });
const anonymise = async (ir: string) =>
  expect((await fixture.execute(ANONYMISE, { ir }, { caller: dataUser })).codes).toEqual([]);

/** Names of the tables from which an MPxN can be decrypted, sorted. */
async function readable(mpxn: string): Promise<string[]> {
  const all = await readableMpxns(fixture.owner, fixture.keys);
  return all.flatMap((each) => (each.mpxn === mpxn ? [each.table] : [])).toSorted();
}

/** The source reference of the first change at a meter point, as `access` reads it for a notice. */
async function storedReference(mpxn: string): Promise<string | null> {
  const first = 'select id from identity.change_of_tenancy where mpxn_index = $1 order by recorded_at limit 1';
  const { id } = (await fixture.owner.query(first, [indexOf(mpxn)])).rows[0];
  const query = 'query ($id: ID!) { changeOfTenancySourceReference(id: $id) }';
  const { data, codes } = await fixture.execute(query, { id }, { caller: null, service: 'access' });
  expect(codes).toEqual([]);
  return data.changeOfTenancySourceReference;
}

/** A complete run of the sweep that the subgraph starts every hour. */
async function sweep(): Promise<void> {
  const walk = dueKeys(pool, IDENTITY_OCCUPANCIES);
  while ((await walk()) > 0);
}

const eventCount = async () =>
  (await fixture.owner.query('select count(*)::int as n from access.event')).rows[0].n as number;

describe('Thirteen months after a change of tenancy', () => {
  it('MPxN and source reference of the former occupancy cannot be decrypted, the MPxN of the present one can, and reports are still accepted', async () => {
    const mpxn = newMpxn();
    const today = await day();
    await sighting(mpxn);
    const first = await change(mpxn, today, 'COT-OF-THE-FORMER');
    await sighting(mpxn);
    await sighting(mpxn);
    expect(await readable(mpxn)).toEqual(['change', 'discovery', 'discovery']);
    await moveTo(await day(-1, 13));
    await sweep();
    expect(await readable(mpxn)).toEqual(['change', 'discovery', 'discovery']);
    expect(await storedReference(mpxn)).toBe('COT-OF-THE-FORMER');
    await moveTo(await day(0, 13));
    await fixture.addReplica(); // a replica sweeps when it starts
    await until(async () => (await readable(mpxn)).length === 1 || undefined);
    expect(await readable(mpxn)).toEqual(['discovery']);
    expect(await storedReference(mpxn)).toBeNull();
    const places = await databasePlaces(fixture.databaseUrl);
    expect(findings(new Map([['MPxN', mpxn]]), places)).toEqual([]);
    const events = await eventCount();
    expect(await change(mpxn, today, 'COT-OF-THE-FORMER')).toEqual({ ...first, isNew: false });
    expect(await eventCount()).toBe(events);
    await sighting(mpxn);
    expect(await readable(mpxn)).toEqual(['discovery']);
    await change(mpxn, await day(0, 13));
    expect(await readable(mpxn)).toEqual(['change', 'discovery']);
  });

  it('the MPxN of a change that was recorded late is erased immediately, that of a later change is not', async () => {
    const mpxn = newMpxn();
    await change(mpxn, await day(0, -14));
    await change(mpxn, await day(0, -2));
    await sweep();
    expect(await readable(mpxn)).toEqual(['change']);
  });

  it('a change that was not announced yet can still be announced', async () => {
    const mpxn = newMpxn();
    const date = await day(0, -14);
    const id = randomUUID();
    const keyId = await inTransaction(pool, async (session) => {
      const [key] = await keysOfOccupancies().obtain(session, [{ premises: indexOf(mpxn), began: '-infinity' }]);
      const sealed = key?.encryptValue(JSON.stringify({ mpxn, sourceReference: 'x' }), `change_of_tenancy ${id}`);
      await session.query(
        `insert into change_of_tenancy (id, mpxn_index, effective_date, reference_hash, sealed, key_id)
         values ($1, $2, $3, sha256('x'), $4, $5)`,
        [id, indexOf(mpxn), date, sealed, key?.id],
      );
      expect(await inTransaction(pool, (other) => destroyDueKeys(other, IDENTITY_OCCUPANCIES, [key?.id ?? '']))).toBe(
        0,
      );
      return key?.id;
    });
    await sweep();
    expect(await readable(mpxn)).toEqual(['change']);
    await expect(pool.query('delete from identity_keys.occupancy_key where id = $1', [keyId])).rejects.toMatchObject(
      REJECTED,
    );
    await pool.query(
      `update change_of_tenancy set announced_at = now(), records_affected = 0, duids = '{}' where id = $1`,
      [id],
    );
    await sweep();
    expect(await readable(mpxn)).toEqual([]);
  });
});

describe('The key of an occupancy', () => {
  it('is the same for concurrent calls', async () => {
    const occupancies = [
      { premises: indexOf(newMpxn()), began: '2026-03-29' },
      { premises: indexOf(newMpxn()), began: '-infinity' },
    ];
    const keys = keysOfOccupancies();
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        inTransaction(pool, (session) => keys.obtain(session, n % 2 === 0 ? occupancies : occupancies.toReversed())),
      ),
    );
    const ids = results.map((obtained, n) =>
      (n % 2 === 0 ? obtained : obtained.toReversed()).map(({ id }) => id).join(),
    );
    expect(new Set(ids).size).toBe(1);
  });

  it('can be neither destroyed nor changed while the occupancy lasts, also not by the owner of the tables', async () => {
    const mpxn = newMpxn();
    await sighting(mpxn);
    const where = 'where premises = $1';
    for (const session of [pool, fixture.owner]) {
      await expect(
        session.query(`delete from identity_keys.occupancy_key ${where}`, [indexOf(mpxn)]),
      ).rejects.toMatchObject(REJECTED);
      await expect(
        session.query(`update identity_keys.occupancy_key set id = gen_random_uuid() ${where}`, [indexOf(mpxn)]),
      ).rejects.toMatchObject(REJECTED);
    }
    await expect(pool.query('delete from discovered_meter_point')).rejects.toMatchObject(REJECTED);
  });
});

describe('Anonymising an identity record', () => {
  it('erases the MPxNs of its occupancy with the last record of the occupancy, and no others', async () => {
    const mpxn = newMpxn();
    const today = await day();
    await sighting(mpxn);
    const former = await record(mpxn, '2019-08-17');
    await change(mpxn, today);
    await sighting(mpxn);
    const present = [await record(mpxn, today), await record(mpxn, today)];
    expect(await readable(mpxn)).toEqual(['change', 'discovery', 'discovery']);
    await anonymise(present[0] as string);
    expect(await readable(mpxn)).toEqual(['change', 'discovery', 'discovery']);
    await anonymise(former);
    expect(await readable(mpxn)).toEqual(['discovery']);
    await anonymise(present[1] as string);
    expect(await readable(mpxn)).toEqual([]);
    await sighting(mpxn);
    expect(await readable(mpxn)).toEqual(['discovery']);
  });

  it('erases them also if a person moves in at a future change', async () => {
    const mpxn = newMpxn();
    await sighting(mpxn);
    const present = await record(mpxn, '2019-08-17');
    await change(mpxn, await day(40));
    await record(mpxn, await day(40));
    expect(await readable(mpxn)).toContain('discovery');
    await anonymise(present);
    expect(await readable(mpxn)).not.toContain('discovery');
  });

  it.each([
    ['of the same occupancy decrypts one of them', '2019-08-17', 2, ['discovery']],
    ['of the former occupancy decrypts each of them, and erases the MPxNs', '2018-01-01', 3_001, ['change']],
  ])('at a home with 3,000 consents of Interface B %s', async (_, movedIn, decrypted, left) => {
    const mpxn = newMpxn();
    const ir = await record(mpxn, '2019-08-17');
    if (movedIn < '2019') await change(mpxn, '2018-06-01');
    await sighting(mpxn);
    await consents(mpxn, movedIn, 3_000);
    const { rows } = await fixture.owner.query('select id from identity.identity_record where ref = $1', [ir]);
    const { cipher, count } = countingCipher();
    await inTransaction(pool, (session) => eraseOccupancy(session, cipher, rows[0].id));
    expect(count()).toBe(decrypted);
    expect(await readable(mpxn)).toEqual(left);
  });

  it('for a person who has not moved in yet erases nothing', async () => {
    const mpxn = newMpxn();
    await sighting(mpxn);
    await anonymise(await record(mpxn, await day(40)));
    expect(await readable(mpxn)).toEqual(['discovery']);
  });
});

describe('MPxNs stored by the previous release', () => {
  const settling = () => ({
    ...{ keys: fixture.keys, indexes: blindIndexes(fixture.keys.indexKey), occupancyKeys: keysOfOccupancies() },
    ...{
      database: { pool } as unknown as Database,
      logger: pino({}, { write: (line: string) => void logged.push(line) }),
    },
  });
  let logged: string[] = [];
  beforeEach(() => (logged = []));
  const direct = async (mpxn: string) =>
    (await readableMpxns(fixture.owner, fixture.keys)).flatMap((each) => (each.mpxn === mpxn ? [each.direct] : []));

  /** Stores rows as before migration 0009: a discovered meter point and two changes of tenancy. */
  async function storedBefore(mpxn: string): Promise<void> {
    const { meterPointId } = blindIndexes(fixture.keys.indexKey);
    for (const [date, announced] of [
      [await day(0, -14), true],
      [await day(0, -1), true],
    ] as const) {
      const id = randomUUID();
      const content = encryptValue(
        fixture.keys.encryptionKey,
        JSON.stringify({ mpxn, sourceReference: date }),
        `change_of_tenancy ${id}`,
      );
      await fixture.owner.query(
        `insert into identity.change_of_tenancy (id, mpxn_index, effective_date, reference_hash, sealed, announced_at, records_affected, duids)
         values ($1, $2, $3, sha256($4), $5, $6, 0, '{}')`,
        [id, indexOf(mpxn), date, Buffer.from(date), content, announced ? date : null],
      );
    }
    const point = meterPointId(mpxn);
    await fixture.owner.query(
      `insert into identity.discovered_meter_point (meter_point_id, sealed, recorded_at) values ($1, $2, now() - interval '20 months')`,
      [point, encryptValue(fixture.keys.encryptionKey, mpxn, `discovered_meter_point ${point}`)],
    );
  }

  it('are encrypted under the keys of their occupancies, by concurrent replicas and after a crash', async () => {
    const mpxns = Array.from({ length: 3 }, newMpxn);
    for (const mpxn of mpxns) await storedBefore(mpxn);
    expect(await direct(mpxns[0] as string)).toEqual([true, true, true]);
    await fixture.owner.query(`
      create function identity.kill() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$;
      create trigger killed before insert on identity.discovered_meter_point for each row execute function identity.kill()`);
    await expect(reencryptIdentityMpxns(settling())).rejects.toThrow('killed');
    await fixture.owner.query('drop trigger killed on identity.discovered_meter_point');
    await Promise.all([
      reencryptIdentityMpxns(settling()),
      reencryptIdentityMpxns(settling()),
      reencryptIdentityMpxns(settling()),
    ]);
    for (const mpxn of mpxns) expect(await direct(mpxn)).toEqual([false, false, false]);
    await sweep();
    for (const mpxn of mpxns) expect(await readable(mpxn)).toEqual(['change']);
  });

  it('are encrypted under the keys of their occupancies although others are damaged, which one log line names', async () => {
    const [damaged, intact] = [newMpxn(), newMpxn()];
    for (const mpxn of [damaged, intact]) await storedBefore(mpxn);
    const asReplica = async (statement: string) =>
      (
        (await fixture.owner.query(
          `begin; set local session_replication_role = replica; ${statement} returning id; commit`,
        )) as unknown as { rows: { id: string }[] }[]
      )[2]?.rows.map(({ id }) => id) as string[];
    const at = `mpxn_index = '\\x${indexOf(damaged).toString('hex')}'`;
    const point = `meter_point_id = '${blindIndexes(fixture.keys.indexKey).meterPointId(damaged)}'`;
    const changes = await asReplica(`update identity.change_of_tenancy set sealed = '\\x00' where ${at}`);
    const discoveries = await asReplica(`update identity.discovered_meter_point set sealed = '\\x00' where ${point}`);
    await reencryptIdentityMpxns(settling());
    expect(await direct(intact)).toEqual([false, false, false]);
    const reports = logged.map((line) => JSON.parse(line) as { level: number; rows: number; ids: string[] });
    expect(reports).toEqual([
      expect.objectContaining({ level: 50, rows: 2, ids: changes.toSorted() }),
      expect.objectContaining({ level: 50, rows: 1, ids: discoveries }),
    ]);
    expect(logged.join()).not.toContain(damaged);
    await asReplica(`delete from identity.change_of_tenancy where ${at}`);
    await asReplica(`delete from identity.discovered_meter_point where ${point}`);
  });

  it('are migrated when a replica starts, and cannot be changed otherwise', async () => {
    const mpxn = newMpxn();
    await storedBefore(mpxn);
    const rewrite = (set: string) =>
      pool.query(`update change_of_tenancy set ${set} where mpxn_index = $1`, [indexOf(mpxn)]);
    await expect(rewrite(`sealed = '\\x00'`)).rejects.toMatchObject(REJECTED);
    await expect(rewrite(`sealed = null, key_id = gen_random_uuid()`)).rejects.toMatchObject(REJECTED);
    await fixture.addReplica();
    await until(async () => (await direct(mpxn)).every((isDirect) => !isDirect) || undefined);
    await expect(rewrite(`sealed = '\\x00', key_id = gen_random_uuid()`)).rejects.toMatchObject(REJECTED);
    await sighting(mpxn);
  });
});
