import type { Pool, PoolClient } from 'pg';
import { type Session, inTransaction, onlyRow } from '../../server/database/transaction';
import type { AccessState, LegalBasis } from './access-record';
import {
  ADD_CHANGES,
  COUNTS_STATE,
  COUNT_ALL,
  LOCK_POSITION,
  NEXT_POSITION,
  POSITION,
  PRESENT,
  TOTALS_BY_DATA_USER,
  totalOf,
  totalsOf,
} from './record-counts.sql';

/** Conditions on the records of a total; null omits a condition. */
interface RecordTotalFilter {
  readonly duid: string | null;
  readonly state: AccessState | null;
  readonly legalBasis: LegalBasis | null;
}

/** All statements of the transaction read one snapshot. */
const ONE_SNAPSHOT = 'set transaction isolation level repeatable read';

/** Counting all records reads an index of all of them: some seconds for ten million. */
const COUNT_ALL_TIMEOUT_MS = 30 * 60_000;

/** SQLSTATE of a serialization failure: a concurrent transaction has counted. */
const SERIALIZATION_FAILURE = '40001';

const TOTAL = { ofDataUser: totalOf(true), ofAll: totalOf(false) };
const TOTALS = { ofDataUser: totalsOf(true), ofAll: totalsOf(false) };

/** Position of the counts in the event log. */
interface Position {
  readonly tx: string;
}

/** Number of access records that have a state and a legal basis; null is that of a discovered access. */
export interface RecordCount {
  readonly state: AccessState;
  readonly legalBasis: LegalBasis | null;
  readonly total: number;
}

/** Numbers of access records of a Data User, by state and legal basis. */
export interface DataUserRecordCounts {
  readonly duid: string;
  readonly counts: readonly RecordCount[];
}

/** Returns the exact total of a list of all records or of a Data User's; undefined before the records are counted for the first time. */
export async function storedTotal(
  pool: Pool,
  { duid, state, legalBasis }: RecordTotalFilter,
): Promise<number | undefined> {
  const text = duid === null ? TOTAL.ofAll : TOTAL.ofDataUser;
  const rows = await countedRows<{ total: string }>(pool, text, [duid, state, legalBasis]);
  return rows && Number(rows[0]?.total);
}

/** Returns the exact totals of all records or of a Data User's; undefined before the records are counted for the first time. */
export function storedTotals(pool: Pool, duid: string | null): Promise<RecordCount[] | undefined> {
  return countedRows<RecordCount>(pool, duid === null ? TOTALS.ofAll : TOTALS.ofDataUser, [duid]);
}

/**
 * Returns the exact totals of the Data Users that have records: of at most `limit` after a DUID, in the order of DUIDs; undefined before the
 * records are counted for the first time.
 */
export function storedTotalsByDataUser(
  pool: Pool,
  after: string,
  limit: number,
): Promise<DataUserRecordCounts[] | undefined> {
  return countedRows<DataUserRecordCounts>(pool, TOTALS_BY_DATA_USER, [after, limit]);
}

/**
 * Runs a statement whose last parameter is the position of the counts; undefined without a position. Statements have no names: PostgreSQL
 * plans them with the position, which is near the end of the log.
 */
function countedRows<Row extends object>(pool: Pool, text: string, values: unknown[]): Promise<Row[] | undefined> {
  return inTransaction(pool, async (session) => {
    await session.query(`${ONE_SNAPSHOT} read only`);
    const position = (await session.query<Position>(POSITION)).rows[0];
    return position && (await session.query<Row>(text, [...values, position.tx])).rows;
  });
}

/**
 * Adds the changes of ended transactions to the counts. Counts all records first after an upgrade, a restore or the promotion of a standby.
 * Every replica calls it; the lock on the position admits one at a time. Returns whether there may be more to add.
 */
export async function updateCounts(pool: Pool): Promise<boolean> {
  const { isUpToDate, isOfEpoch } = onlyRow(
    await pool.query<{ isUpToDate: boolean; isOfEpoch: boolean }>(COUNTS_STATE),
  );
  if (!isOfEpoch) return countAll(pool);
  return !isUpToDate && inTransaction(pool, addChanges);
}

async function addChanges(session: Session): Promise<boolean> {
  const position = await lockPosition(session);
  if (!position?.isOfEpoch) return false;
  const next = onlyRow(await session.query<{ tx: string; hasMore: boolean }>(NEXT_POSITION, [position.tx]));
  if (BigInt(next.tx) <= BigInt(position.tx)) return false;
  await session.query(ADD_CHANGES, [position.tx, next.tx]);
  return next.hasMore;
}

function countAll(pool: Pool): Promise<boolean> {
  const work = async (session: PoolClient): Promise<boolean> => {
    await session.query(ONE_SNAPSHOT);
    await session.query(`set local statement_timeout = ${COUNT_ALL_TIMEOUT_MS}`);
    const position = await lockPosition(session);
    if (position === undefined || position.isOfEpoch) return false;
    const { tx } = onlyRow(await session.query<Position>(PRESENT));
    await session.query('delete from record_count');
    const statement = { text: COUNT_ALL, values: [tx], query_timeout: COUNT_ALL_TIMEOUT_MS };
    await session.query(statement);
    return true;
  };
  return inTransaction(pool, work).catch((error: unknown) => {
    if ((error as { code?: unknown }).code === SERIALIZATION_FAILURE) return false;
    throw error;
  });
}

async function lockPosition(session: Session): Promise<(Position & { readonly isOfEpoch: boolean }) | undefined> {
  return (await session.query<Position & { isOfEpoch: boolean }>(LOCK_POSITION)).rows[0];
}
