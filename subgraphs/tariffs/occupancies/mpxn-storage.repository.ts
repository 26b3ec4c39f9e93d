import type { Pool } from 'pg';
import { type Session, inTransaction } from '../../server/database/transaction';
import { lockMpxnsShared } from '../assignments/assignments.sql';
import type { MpxnCipher } from './mpxn-cipher.repository';
import { STEP_COUNTS_FROM } from './tariff-occupancies.sql';

/** SQL: occupancies in which assignments and consents of meter points (`$1`) need the MPxN, with a condition on each. */
const neededBy = (assignments: string, consents: string): string => `
  select mpxn_hash, occupancy_began(mpxn_hash, ${STEP_COUNTS_FROM}) as began from tariff_step
  where mpxn_hash = any($1::bytea[]) and withdrawn_at is null and tariff_id is not null and ${assignments}
  union
  select mpxn_hash, occupancy_began(mpxn_hash, covered_at) from consent_meter_point
  where mpxn_hash = any($1::bytea[]) and ${consents}`;

/** SQL: those occupancies in which the MPxN is not stored under an existing key. */
const notStored = (needed: string): string => `
  select mpxn_hash as hash, began::text from (${needed}) needed
  where not exists (
    select from occupancy_mpxn kept join tariffs_keys.occupancy_key key on key.id = kept.key_id
    where kept.mpxn_hash = needed.mpxn_hash and kept.began = needed.began)`;

/** Present and planned occupancies. */
const NEEDED_NOW = notStored(
  neededBy(
    `${STEP_COUNTS_FROM} >= occupancy_began(mpxn_hash, register_now())`,
    'covered_at >= occupancy_began(mpxn_hash, register_now())',
  ),
);

/** All occupancies, except those that ended 13 months ago or earlier. */
const NEEDED_OR_RETAINED = `
  ${notStored(neededBy('true', 'true'))} and not exists (
    select from tariff_step where tariff_step.mpxn_hash = needed.mpxn_hash and withdrawn_at is null and tariff_id is null
      and ${STEP_COUNTS_FROM} > needed.began and ${STEP_COUNTS_FROM} <= register_now() - interval '13 months'
      and ends_assignment(tariff_step))`;

/** Replaces an MPxN whose key is lost, for example after a restore without the keys. */
const STORE = `
  insert into occupancy_mpxn (mpxn_hash, began, key_id, mpxn_sealed)
  select * from unnest($1::bytea[], $2::timestamptz[], $3::uuid[], $4::bytea[]) order by 1, 2
  on conflict (mpxn_hash, began) do update set key_id = excluded.key_id, mpxn_sealed = excluded.mpxn_sealed`;

/** Meter points per transaction of {@link reencryptMpxns}, so that no statement reaches its timeout. */
const BATCH_SIZE = 200;

const DIRECT_BATCH = `select mpxn_hash as hash from meter_point where mpxn_sealed is not null order by mpxn_hash limit ${BATCH_SIZE}`;
const DIRECT = `
  select mpxn_hash as "mpxnHash", mpxn_sealed as direct from meter_point
  where mpxn_hash = any($1::bytea[]) and mpxn_sealed is not null order by mpxn_hash for no key update skip locked`;
const CLEAR_DIRECT =
  'update meter_point set mpxn_sealed = null where mpxn_hash = any($1::bytea[]) and mpxn_sealed is not null';

/** Stores MPxNs for the occupancies in which they are needed now. Call it after the assignment or consent is written, in its transaction. */
export function storeMpxns(session: Session, cipher: MpxnCipher, mpxns: readonly string[]): Promise<void> {
  return store(session, cipher, NEEDED_NOW, mpxns);
}

/**
 * Re-encrypts under the keys of their occupancies the MPxNs that an earlier release, or a restored backup of it, encrypted directly. An
 * interrupted run loses at most one transaction; replicas may run it concurrently.
 */
export async function reencryptMpxns(pool: Pool, cipher: MpxnCipher): Promise<void> {
  while ((await inTransaction(pool, (session) => reencryptBatch(session, cipher))) > 0);
}

async function reencryptBatch(session: Session, cipher: MpxnCipher): Promise<number> {
  const { rows } = await session.query<{ hash: Buffer }>(DIRECT_BATCH);
  return reencrypt(
    session,
    cipher,
    rows.map(({ hash }) => hash),
  );
}

/**
 * Re-encrypts those of some MPxNs that are encrypted directly, in the transaction of the session, and returns their number. Skips those that
 * another replica re-encrypts. It locks the MPxNs before the rows, as the erasure of an MPxN does.
 */
export async function reencrypt(session: Session, cipher: MpxnCipher, hashes: readonly Buffer[]): Promise<number> {
  await lockMpxnsShared(session, hashes);
  const { rows } = await session.query<{ mpxnHash: Buffer; direct: Buffer }>(DIRECT, [hashes]);
  if (rows.length === 0) return 0;
  const mpxns = rows.flatMap((row) => cipher.decrypt({ ...row, encrypted: null, keyId: null, wrappedKey: null }) ?? []);
  await store(session, cipher, NEEDED_OR_RETAINED, mpxns);
  await session.query(CLEAR_DIRECT, [rows.map(({ mpxnHash }) => mpxnHash)]);
  return rows.length;
}

async function store(session: Session, cipher: MpxnCipher, needed: string, mpxns: readonly string[]): Promise<void> {
  const byHash = new Map(mpxns.map((mpxn) => [cipher.hash(mpxn).toString('hex'), mpxn]));
  const values = [[...byHash.keys()].map((hash) => Buffer.from(hash, 'hex'))];
  const { rows } = await session.query<{ hash: Buffer; began: string }>(needed, values);
  if (rows.length === 0) return;
  const hashes = rows.map(({ hash }) => hash);
  const keys = await cipher.keys.obtain(
    session,
    rows.map(({ hash, began }) => ({ premises: hash, began })),
  );
  const encrypted = keys.map((key, index) =>
    cipher.encrypt(key, byHash.get(hashes[index]?.toString('hex') ?? '') as string),
  );
  await session.query(STORE, [hashes, rows.map(({ began }) => began), keys.map(({ id }) => id), encrypted]);
}
