import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { fingerprintOf } from '../../server/audit/audit.repository';
import { DamagedRows } from '../../server/damaged-rows';
import { type Session, inTransaction } from '../../server/database/transaction';
import { lockMpxnsShared } from '../assignments/assignments.sql';
import type { MpxnCipher } from './mpxn-cipher.repository';
import { STEP_COUNTS_FROM } from './tariff-occupancies.sql';

/**
 * SQL: steps of meter points (`$1`) that count, as `ends_assignment` decides. A supplier may record many ends for one meter point, and each call of that
 * function reads the steps again: it decides only on an end whose newest assignment was recorded after the end took effect.
 */
const COUNTED = `
  select mpxn_hash, at, tariff_id is not null as needs from (
    select *, tariff_id is not null or newest_from is null or case
      when max(recorded_at) filter (where tariff_id is not null) over newest <= at
      then max(mpid) filter (where tariff_id is not null) over newest = mpid
      else ends_assignment(step) end as counts
    from (
      select tariff_step.*, tariff_step as step, ${STEP_COUNTS_FROM} as at,
        max(valid_from) filter (where tariff_id is not null) over (partition by mpxn_hash order by valid_from) as newest_from
      from tariff_step where mpxn_hash = any($1::bytea[]) and withdrawn_at is null) stepped
    window newest as (partition by mpxn_hash, newest_from)) step
  where counts`;

/** SQL: the newest end among rows of {@link COUNTED}: the start of an occupancy. */
const newestEnd = (condition: string, window: string): string =>
  `coalesce(max(at) filter (where not needs${condition}) over (partition by mpxn_hash${window}), '-infinity')`;

/** SQL: occupancies in which assignments and consents of meter points (`$1`) need the MPxN: that of an instant, and later ones. */
const neededSince = (since: string): string => `
  select distinct mpxn_hash, began from (
    select mpxn_hash, needs, ${newestEnd('', ' order by at')} as began, ${newestEnd(` and at <= ${since}`, '')} as first_began
    from (
      ${COUNTED}
      union all
      select mpxn_hash, covered_at, true from consent_meter_point where mpxn_hash = any($1::bytea[])) instant) occupancy
  where needs and began >= first_began`;

/**
 * SQL: those occupancies in which the MPxN is not stored under an existing key. Locks the keys of planned occupancies: the sweep may be
 * destroying one whose start was withdrawn and is planned again.
 */
const notStored = (needed: string): string => `
  with planned as materialized (
    select id from tariffs_keys.occupancy_key where premises = any($1::bytea[]) and began > register_now()
    order by premises, began for key share)
  select mpxn_hash as hash, began::text from (${needed}) needed
  where not exists (
    select from occupancy_mpxn kept join tariffs_keys.occupancy_key key on key.id = kept.key_id
    where kept.mpxn_hash = needed.mpxn_hash and kept.began = needed.began
      and (kept.began <= register_now() or key.id in (select id from planned)))`;

/** Present and planned occupancies. */
const NEEDED_NOW = notStored(neededSince('register_now()'));

/** All occupancies, except those that ended 13 months ago or earlier. */
const NEEDED_OR_RETAINED = notStored(neededSince("register_now() - interval '13 months'"));

/** Replaces an MPxN whose key is lost, for example after a restore without the keys. */
const STORE = `
  insert into occupancy_mpxn (mpxn_hash, began, key_id, mpxn_sealed)
  select * from unnest($1::bytea[], $2::timestamptz[], $3::uuid[], $4::bytea[]) order by 1, 2
  on conflict (mpxn_hash, began) do update set key_id = excluded.key_id, mpxn_sealed = excluded.mpxn_sealed`;

/** Meter points per transaction of {@link reencryptMpxns}, so that no statement reaches its timeout. */
const BATCH_SIZE = 200;

const DIRECT_BATCH = `select mpxn_hash as hash from meter_point where mpxn_sealed is not null and mpxn_hash > $1
  order by mpxn_hash limit ${BATCH_SIZE}`;
const DIRECT = `
  select mpxn_hash as "mpxnHash", mpxn_sealed as direct from meter_point
  where mpxn_hash = any($1::bytea[]) and mpxn_sealed is not null order by mpxn_hash for no key update skip locked`;
/** An MPxN that is encrypted directly, with its hash. */
interface DirectMpxn {
  readonly mpxnHash: Buffer;
  readonly direct: Buffer;
}
const CLEAR_DIRECT =
  'update meter_point set mpxn_sealed = null where mpxn_hash = any($1::bytea[]) and mpxn_sealed is not null';

/** Stores MPxNs for the occupancies in which they are needed now. Call it after the assignment or consent is written, in its transaction. */
export function storeMpxns(session: Session, cipher: MpxnCipher, mpxns: readonly string[]): Promise<void> {
  return store(session, cipher, NEEDED_NOW, mpxns);
}

/**
 * Re-encrypts under the keys of their occupancies the MPxNs that an earlier release, or a restored backup of it, encrypted directly. An
 * interrupted run loses at most one transaction; replicas may run it concurrently. MPxNs that cannot be decrypted remain as they are.
 */
export async function reencryptMpxns(pool: Pool, cipher: MpxnCipher, logger: Pick<Logger, 'error'>): Promise<void> {
  const damaged = new DamagedRows(logger);
  const reencryptAfter = (hash: Buffer) =>
    inTransaction(pool, async (session) => {
      const { rows } = await session.query<{ hash: Buffer }>(DIRECT_BATCH, [hash]);
      const hashes = rows.map(({ hash: found }) => found);
      await reencrypt(session, cipher, hashes, damaged);
      return hashes.at(-1);
    });
  let last: Buffer | undefined = Buffer.alloc(0);
  while (last !== undefined) last = await reencryptAfter(last);
  damaged.report('MPxNs cannot be decrypted: they keep their former encryption');
}

/**
 * Re-encrypts those of some MPxNs that are encrypted directly, in the transaction of the session. Skips those that another replica
 * re-encrypts. It locks the MPxNs before the rows, as the erasure of an MPxN does.
 *
 * @param damaged receives the MPxNs that cannot be decrypted; without it they are an error
 */
export async function reencrypt(
  session: Session,
  cipher: MpxnCipher,
  hashes: readonly Buffer[],
  damaged?: DamagedRows,
): Promise<void> {
  await lockMpxnsShared(session, hashes);
  const { rows } = await session.query<DirectMpxn>(DIRECT, [hashes]);
  const mpxnOf = ({ mpxnHash, direct }: DirectMpxn) =>
    cipher.decrypt({ mpxnHash, direct, encrypted: null, keyId: null, wrappedKey: null });
  const found = rows.map((row) => ({ ...row, id: fingerprintOf(row.mpxnHash) }));
  const readable = damaged?.readable(found, mpxnOf) ?? found.map((row) => ({ row, content: mpxnOf(row) }));
  if (readable.length === 0) return;
  const mpxns = readable.flatMap(({ content }) => content ?? []);
  await store(session, cipher, NEEDED_OR_RETAINED, mpxns);
  await session.query(CLEAR_DIRECT, [readable.map(({ row }) => row.mpxnHash)]);
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
