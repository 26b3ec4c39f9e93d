import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { fingerprintOf } from '../../server/audit/audit.repository';
import { DamagedRows } from '../../server/damaged-rows';
import { type Session, inTransaction } from '../../server/database/transaction';
import { lockMpxnsShared } from '../assignments/assignments.sql';
import type { MpxnCipher, StoredMpxn } from './mpxn-cipher.repository';
import { storeMpxns } from './mpxn-storage.repository';

/** MPxNs that one transaction corrects. */
const BATCH_SIZE = 200;

/** SQL: the instants in a column of the MPxNs `$1` that the clock has not reached: they were recorded while it was ahead. */
const ahead = (table: string, column: string, condition = 'true'): string => `
  select mpxn_hash, ${column} as at from ${table}
  where mpxn_hash = any($1::bytea[]) and ${column} > register_now() and ${condition}`;

/** SQL: a step that counts. The indexes by MPxN contain no others. */
const LIVE_STEP = 'withdrawn_at is null';

/** SQL: those instants of assignments and consents, and of the tariff that was published last. */
const AHEAD = [
  ahead('tariff_step', 'recorded_at', LIVE_STEP),
  ahead('consent_meter_point', 'added_at'),
  ahead('consent_meter_point', 'covered_at'),
  ahead('tariff_standing', 'as_of'),
  ahead('tariff_standing', 'ceased_at'),
].join(' union ');

/** MPxNs of `$1` with instants ahead. */
const AFFECTED = { name: 'mpxns_with_times_ahead', text: `select distinct mpxn_hash as hash from (${AHEAD}) ahead` };

/** SQL: corrects columns of a table. A row that another transaction has corrected meanwhile is unchanged. */
const correct = (table: string, columns: readonly string[], change = ''): string => `
  update ${table} set ${change} ${columns
    .map(
      (column) => `${column} = coalesce((
        select correct from correct where correct.mpxn_hash = ${table}.mpxn_hash and correct.at = ${column}), ${column})`,
    )
    .join(', ')}
  where mpxn_hash = any($1::bytea[]) and greatest(${columns.join(', ')}) > register_now()`;

/**
 * SQL: former coverages that started while the clock was ahead are not stored: they and their ends have no order any more. The event of an end
 * between two coverages of that time is then not sent.
 */
const PAST_COVERAGES = `former_coverage = array(select former from unnest(former_coverage) former where former <= register_now()),`;

/**
 * Corrects the instants ahead of the MPxNs `$1`. The latest becomes the present millisecond, the others the milliseconds before it, so that
 * the order of ends, consents and events stays as it was. A scheduled change of an assignment is due when the assignment takes effect.
 */
const CORRECT = `
  with correct as materialized (
    select mpxn_hash, at, date_trunc('milliseconds', register_now())
        - (row_number() over (partition by mpxn_hash order by at desc) - 1) * interval '1 millisecond' as correct
    from (${AHEAD}
      union ${ahead('event', 'occurred_at', 'recorded_at > register_now()')}
      union ${ahead('event', 'ceased_at', 'recorded_at > register_now()')}) ahead),
  steps as (${correct('tariff_step', ['recorded_at'])} and ${LIVE_STEP} returning id, date_trunc('milliseconds', greatest(valid_from, recorded_at)) as due),
  changes as (
    update tariff_effect set due_at = due, turn_at = null from steps
    where step_id = steps.id and done_at is null and cancelled_at is null and due_at > due),
  points as (${correct('consent_meter_point', ['added_at', 'covered_at'], PAST_COVERAGES)}),
  events as (${correct('event', ['occurred_at', 'ceased_at'])} and recorded_at > register_now())
  ${correct('tariff_standing', ['as_of', 'ceased_at'])}`;

/** All copies of MPxNs, since one may be damaged. The sweep destroys the key of a copy whose occupancy began at a corrected instant. */
const STORED = `
  select mpxn_hash as "mpxnHash", mpxn_sealed as encrypted, key_id as "keyId", wrapped as "wrappedKey"
  from occupancy_mpxn join tariffs_keys.occupancy_key key on key.id = key_id where mpxn_hash = any($1::bytea[])`;

/** MPxNs of one list. They are many, because each list reads all instants ahead. */
const MAX_LISTED_MPXNS = 20_000;

/** The next MPxNs with instants ahead. */
const NEXT = `
  select mpxn_hash as hash from (
    select mpxn_hash from tariff_step where recorded_at > register_now() and ${LIVE_STEP}
    union select mpxn_hash from consent_meter_point where covered_at > register_now()
    union select mpxn_hash from event where recorded_at > register_now() and greatest(occurred_at, ceased_at) > register_now()) ahead
  where mpxn_hash > $1 order by mpxn_hash limit ${MAX_LISTED_MPXNS}`;

/**
 * Corrects instants that were recorded while the clock was ahead, of all MPxNs. Until then, a consent of that time receives no event, and an
 * end of that time ends no consent.
 */
export async function correctTimesAhead(pool: Pool, cipher: MpxnCipher, logger: Pick<Logger, 'error'>): Promise<void> {
  const damaged = new DamagedRows(logger);
  let last: Buffer = Buffer.alloc(0);
  for (;;) {
    const hashes = (await pool.query<{ hash: Buffer }>(NEXT, [last])).rows.map(({ hash }) => hash);
    const end = hashes.at(-1);
    if (end === undefined) break;
    last = end;
    for (let start = 0; start < hashes.length; start += BATCH_SIZE) {
      const batch = hashes.slice(start, start + BATCH_SIZE);
      await inTransaction(pool, async (session) => {
        await lockMpxnsShared(session, batch);
        await session.query(CORRECT, [batch]);
        await storeAgain(session, cipher, batch, damaged);
      });
    }
  }
  damaged.report('MPxNs cannot be decrypted: their occupancies were corrected without them');
}

/**
 * Corrects the instants ahead of MPxNs before their assignments or consents change, so that what is recorded now follows what was recorded
 * while the clock was ahead. Call it in a transaction that has locked the MPxNs. Returns whether an instant was corrected: the caller then
 * stores the MPxNs.
 */
export async function correctTimesOf(session: Session, hashes: readonly Buffer[]): Promise<boolean> {
  const { rows } = await session.query<{ hash: Buffer }>({ ...AFFECTED, values: [hashes] });
  if (rows.length > 0) await session.query(CORRECT, [rows.map(({ hash }) => hash)]);
  return rows.length > 0;
}

/** Stores MPxNs for the occupancies that their corrected ends start. */
async function storeAgain(
  session: Session,
  cipher: MpxnCipher,
  hashes: readonly Buffer[],
  damaged: DamagedRows,
): Promise<void> {
  const { rows } = await session.query<Omit<StoredMpxn, 'direct'>>(STORED, [hashes]);
  const found = rows.map((row) => ({ ...row, direct: null, id: fingerprintOf(row.mpxnHash as Buffer) }));
  const readable = damaged.readable(found, cipher.decrypt);
  await storeMpxns(
    session,
    cipher,
    readable.flatMap(({ content }) => content ?? []),
  );
}
