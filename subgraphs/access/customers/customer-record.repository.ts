import { isUuid } from '../../../schema/identifiers';
import {
  type PageRequest,
  connectionOf,
  withTotal,
  cursorOf,
  cursorPosition,
  instantText,
  rejectCursor,
  requirePageSize,
} from '../../server/lists/connection';
import { countRows } from '../../server/lists/paged-list';
import type { Database } from '../../server/database/database';
import { inTransaction } from '../../server/database/transaction';
import type { CustomerScope } from './customer-scope.client';
import { type AccessRecordPage, MAX_PAGE_SIZE, fitting } from '../records/access-record.queries';
import { withdrawal } from './consent-withdrawal.sql';
import type { LookupKind } from './lookup-counts.repository';
import { type SizedRow, selectFitting, sizedPage } from '../records/page-size.sql';
import { ENDED_AT, IN_FORCE, historyStart } from '../records/record-state.sql';
import {
  type AccessRecordRow,
  COLUMNS_WITHOUT_REFERENCE,
  StoredAccessRecord,
  withoutControllerReference,
} from '../records/stored-access-record.queries';

/** Views of a customer's records: access in force, and access that has ended. */
export const CUSTOMER_RECORD_PARTS = ['current', 'history'] as const;
export type CustomerRecordPart = (typeof CUSTOMER_RECORD_PARTS)[number];

/** The scope is parameters 1 to 5 of every statement; PostgreSQL requires a use of each. Dates are days in Great Britain. */
const IS_OWN = 'identity_record_id = any($3::uuid[])';
const IN_SCOPE = `meter_point_id = $1 and ($2::boolean or ${IS_OWN}) and $4::date is not null and $5::timestamptz is distinct from 'infinity'`;
const HISTORY_START = historyStart({ isOwn: IS_OWN, since: '$4', beganAt: '$5' });
const HAS_ENDED = `not (${IN_FORCE}) and ${ENDED_AT} >= ${HISTORY_START}`;
const VISIBLE = `${IN_SCOPE} and (${IN_FORCE} or ${HAS_ENDED})`;

const COLUMNS = `${COLUMNS_WITHOUT_REFERENCE}, ${HISTORY_START} as "customerSince"`;

/** Condition and order of each view: by rank, then by instant, both descending. */
const PARTS = {
  current: { where: IN_FORCE, rank: `(state = 'DISCOVERED')::int`, at: 'created_at' },
  history: { where: HAS_ENDED, rank: '0', at: ENDED_AT },
} satisfies Record<CustomerRecordPart, unknown>;

const IN_ORDER = 'order by rank desc, instant desc, id desc';

const PAGES = Object.fromEntries(
  Object.entries(PARTS).map(([part, { where, rank, at }]) => [
    part,
    {
      name: `customer_records_${part}`,
      text: `with ${sizedPage(
        `select ${COLUMNS}, ${rank} as rank, ${instantText(at)} as instant from access_record
        where ${IN_SCOPE} and ${where} and (${rank}, ${at}, id) < ($6::int, $7::timestamptz, $8::uuid)
        order by rank desc, ${at} desc, id desc limit $9`,
        IN_ORDER,
        'true',
      )} ${selectFitting(IN_ORDER)}`,
    },
  ]),
) as Record<CustomerRecordPart, { name: string; text: string }>;

const BY_ID = {
  name: 'customer_record_by_id',
  text: `select ${COLUMNS} from access_record where ${VISIBLE} and id = $6::uuid`,
};

const LOCK_RECORD = {
  name: 'lock_customer_record',
  text: 'select from access_record where id = $1 for no key update',
};

const WITHDRAW = {
  name: 'withdraw_consent',
  text: withdrawal(`${IN_SCOPE} and id = $6::uuid`, {
    account: `'customer'`,
    reason: `'customer-request'`,
  }),
};

/** Lookups of the hour in which an occupancy starts are shown to its customer, and not to the former one. */
const LOOKUPS = {
  name: 'customer_looks',
  text: `select record_id as "recordId", display_name as organisation, kind, hour, count
    from (select id, ${HISTORY_START} as since from access_record where ${VISIBLE}) record
      join look on record_id = record.id left join account using (account_id)
    where hour >= date_trunc('hour', since, 'UTC') and ($6::timestamptz is null or hour + interval '1 hour' <= $6)
      and ($8::timestamptz is null or hour < $8)
    order by hour desc, record_id, kind, account_id limit $7`,
};

/** Lookups of a record in one hour: by an organisation, or by a caller with the access key who is not identified (null). */
export interface Lookup {
  /** Id of the record: the customer may read all records that were looked up, and 500 of them may have 125 MB. */
  readonly recordId: string;
  readonly organisation: string | null;
  readonly kind: LookupKind;
  readonly hour: Date;
  readonly count: number;
}

type CustomersRow = AccessRecordRow & { readonly customerSince: Date };
type ListedRow = CustomersRow & SizedRow & { readonly rank: number; readonly instant: string };

/** Access records in the scope of a customer's session. The scope is a condition of every statement. */
export class CustomerRecordRepository {
  constructor(private readonly database: Database) {}

  /** Returns a page. `current` lists DISCOVERED before ACTIVE records, newest first; `history` lists the latest end first. */
  async page(scope: CustomerScope, part: CustomerRecordPart, page: PageRequest): Promise<AccessRecordPage> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    const values = [...bound(scope), ...positionOf(page.after), page.first + 1];
    const { rows } = await this.database.pool.query<ListedRow>({ ...PAGES[part], values });
    const cursor = ({ rank, instant, id }: ListedRow) => `${rank}${cursorOf([instant, id])}`;
    return withTotal(
      connectionOf(rows, fitting(page, rows), cursor, (row) => shown(row, scope)),
      () => this.count(scope, part),
    );
  }

  /** Returns the record with an id; null if it is not in scope. */
  async byId(scope: CustomerScope, id: string): Promise<StoredAccessRecord | null> {
    if (!isUuid(id)) return null;
    const { rows } = await this.database.pool.query<CustomersRow>({ ...BY_ID, values: [...bound(scope), id] });
    return rows[0] ? shown(rows[0], scope) : null;
  }

  /**
   * Withdraws consent and returns when. Returns undefined if the scope has no such ACTIVE record on consent. It locks the record before it
   * reads the scope, so that a session that ends while it waits for the lock cannot withdraw.
   */
  async withdraw(id: string, scopeNow: () => Promise<CustomerScope>): Promise<Date | undefined> {
    if (!isUuid(id)) return undefined;
    return inTransaction(this.database.pool, async (session) => {
      if ((await session.query({ ...LOCK_RECORD, values: [id] })).rowCount !== 1) return undefined;
      const values = [...bound(await scopeNow()), id];
      return (await session.query<{ revoked_at: Date }>({ ...WITHDRAW, values })).rows[0]?.revoked_at;
    });
  }

  /** Returns lookups of the records in scope during the occupancy, latest first; of hours that start before an instant, if there is one. */
  async lookups(scope: CustomerScope, limit: number, before: Date | null = null): Promise<Lookup[]> {
    const values = [...bound(scope), scope.endedAt, limit, before];
    return (await this.database.pool.query<Lookup>({ ...LOOKUPS, values })).rows;
  }

  private count(scope: CustomerScope, part: CustomerRecordPart): Promise<number> {
    const where = `${IN_SCOPE} and ${PARTS[part].where}`;
    return countRows(
      this.database.pool,
      { name: `customer_records_${part}`, from: 'access_record', where },
      bound(scope),
    );
  }
}

const RANK_ABOVE_ALL = 2;

function bound({ meterPointId, isCurrent, isContested, ownRecordIds, since, beganAt }: CustomerScope): unknown[] {
  return [meterPointId, isCurrent && !isContested, ownRecordIds, since, beganAt];
}

function positionOf(after: string | null): unknown[] {
  if (after === null) return [RANK_ABOVE_ALL, ...cursorPosition(null)];
  const rank = /^[01]/.test(after) ? Number(after[0]) : rejectCursor();
  return [rank, ...cursorPosition(after.slice(1))];
}

/** Returns a record as this customer reads it. The reference of another occupant's record identifies that occupant. */
function shown({ customerSince, ...row }: CustomersRow, { ownRecordIds }: CustomerScope): StoredAccessRecord {
  const isOwn = row.identity_record_id !== null && ownRecordIds.includes(row.identity_record_id);
  return new StoredAccessRecord(isOwn ? row : withoutControllerReference(row), null, customerSince);
}
