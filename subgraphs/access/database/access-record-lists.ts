import type { Database } from '../../server/database';
import {
  type Connection,
  type PageRequest,
  connectionOf,
  cursorOf,
  cursorPosition,
  requirePageSize,
} from '../../server/connection';
import type { AccessState, LegalBasis } from '../domain/access-record';
import { ACCESS_RECORD_COLUMNS, type AccessRecordRow, StoredAccessRecord } from './stored-access-record';

/** Which records a list holds; null leaves a condition out. */
export interface AccessRecordFilter {
  readonly duid: string | null;
  readonly meterPointId: string | null;
  readonly state: AccessState | null;
  readonly legalBasis: LegalBasis | null;
}

/** A page, and the filter by which its total is counted when asked for. */
export type AccessRecordPage = Connection<StoredAccessRecord> & { readonly filter: AccessRecordFilter };

/** Entries of a page at most (2-decisions-a-b.md, section 3). */
export const LARGEST_PAGE = 500;

const STATE_NOW = `case when state in ('ACTIVE', 'DISCOVERED') and expiry <= register_now() then 'EXPIRED' else state end`;
const FILTERS = `($3::text is null or ${STATE_NOW} = $3) and ($4::text is null or legal_basis = $4)`;
const NEWEST_FIRST = `(created_at, id) < ($5::timestamptz, $6::uuid) order by created_at desc, id desc limit $7`;

interface Scope {
  readonly name: string;
  readonly where: string;
  /** Few rows, whatever the page: a short read. The others are long, and planned for the page that is asked for. */
  readonly isShort: boolean;
}

/** One statement for each way in, so that each keeps a plan of its own index. */
const SCOPES = {
  everything: { name: 'access_records', where: '$1::text is null and $2::text is null', isShort: false },
  dataUser: { name: 'access_records_of_data_user', where: 'duid = $1 and $2::text is null', isShort: false },
  meterPoint: {
    name: 'access_records_at_meter_point',
    where: '$1::text is null and meter_point_id = $2',
    isShort: true,
  },
  ownAtMeterPoint: {
    name: 'own_access_records_at_meter_point',
    where: 'meter_point_id = $2 and duid = $1',
    isShort: true,
  },
} satisfies Record<string, Scope>;

function scopeOf({ duid, meterPointId }: AccessRecordFilter): Scope {
  if (meterPointId === null) return duid === null ? SCOPES.everything : SCOPES.dataUser;
  return duid === null ? SCOPES.meterPoint : SCOPES.ownAtMeterPoint;
}

type ListedRow = AccessRecordRow & { readonly created_seconds: number };

/** The instant of so many seconds since 1970, to the microsecond, which a Date cannot hold. */
function instantOf(seconds: number): string {
  const microseconds = Math.round(seconds * 1e6);
  const milliseconds = new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1);
  return `${milliseconds}${String(microseconds % 1000).padStart(3, '0')}Z`;
}

/** Lists of access records. */
export class AccessRecordLists {
  constructor(private readonly database: Database) {}

  /** A page of the list, newest first. */
  async page(filter: AccessRecordFilter, page: PageRequest): Promise<AccessRecordPage> {
    requirePageSize(page.first, LARGEST_PAGE);
    const [createdAt, id] = cursorPosition(page.after);
    const rows = await this.rows(scopeOf(filter), [...conditions(filter), createdAt, id, page.first + 1]);
    const cursor = (row: ListedRow) => cursorOf([instantOf(row.created_seconds), row.id]);
    return Object.assign(
      connectionOf(rows, page, cursor, (row) => new StoredAccessRecord(row)),
      { filter },
    );
  }

  /**
   * How many records the whole list has: exact, so every entry of an index is read, and none of the table where all is vacuumed. At
   * a million records the list of everything takes 50 to 100 ms; it is counted only when asked for.
   */
  async count(filter: AccessRecordFilter): Promise<number> {
    const { name, where } = scopeOf(filter);
    const { rows } = await this.database.pool.query<{ total: string }>({
      name: `count_${name}`,
      text: `select count(*) as total from access_record where ${where} and ${FILTERS}`,
      values: conditions(filter),
    });
    return Number(rows[0]?.total);
  }

  private async rows({ name, where, isShort }: Scope, values: unknown[]): Promise<ListedRow[]> {
    const text = `select ${ACCESS_RECORD_COLUMNS}, date_part('epoch', created_at) as created_seconds
      from access_record where ${where} and ${FILTERS} and ${NEWEST_FIRST}`;
    if (isShort) return this.database.reads.rows<ListedRow>({ name, text }, values);
    return (await this.database.pool.query<ListedRow>({ name, text, values })).rows;
  }
}

function conditions({ duid, meterPointId, state, legalBasis }: AccessRecordFilter): unknown[] {
  return [duid, meterPointId, state, legalBasis];
}
