import { isUuid } from '../../../schema/identifiers';
import {
  type PageRequest,
  connectionOf,
  cursorOf,
  cursorPosition,
  instantText,
  refuseCursor,
  requirePageSize,
} from '../../server/connection';
import type { Database } from '../../server/database';
import { inTransaction } from '../../server/transaction';
import type { CustomerScope } from '../customer-scope';
import { type AccessRecordPage, LARGEST_PAGE } from './access-record-lists';
import { withdrawal } from './consent-withdrawal';
import type { LookKind } from './looks';
import { endedWithDataUser, revokedAtNow } from './record-state';
import { type AccessRecordRow, COLUMNS_WITHOUT_REFERENCE, StoredAccessRecord } from './stored-access-record';

/** What has access now, or what had it. */
export const CUSTOMER_RECORD_PARTS = ['current', 'history'] as const;
export type CustomerRecordPart = (typeof CUSTOMER_RECORD_PARTS)[number];

/** What was discovered and then claimed has become a registered access: it is history, from its claim. */
const IS_NOW = `state in ('ACTIVE', 'DISCOVERED') and (expiry is null or expiry > register_now()) and claimed_at is null
  and not (${endedWithDataUser()})`;
const ENDED_AT = `coalesce(claimed_at, ${revokedAtNow()}, expiry)`;

/** The scope is always the first five parameters, used or not. Its days are those of the customers. */
const IS_OWN = 'identity_record_id = any($3::uuid[])';
const IN_SCOPE = `meter_point_id = $1 and ($2::boolean or ${IS_OWN}) and $4::date is not null and $5::timestamptz is distinct from 'infinity'`;
const MOVED_IN = `$4::date::timestamp at time zone 'Europe/London'`;
/** What was not the customer's own and ended before the occupancy began is the former occupant's, also on the same day. */
const HAS_ENDED = `not (${IS_NOW}) and ${ENDED_AT} >= case when ${IS_OWN} then ${MOVED_IN} else greatest(${MOVED_IN}, $5) end`;
const VISIBLE = `${IN_SCOPE} and (${IS_NOW} or ${HAS_ENDED})`;

/** What a part holds, and its order: by rank, then by the instant, the latest first. */
const PARTS = {
  current: { where: IS_NOW, rank: `(state <> 'DISCOVERED')::int`, at: 'created_at' },
  history: { where: HAS_ENDED, rank: '0', at: ENDED_AT },
} satisfies Record<CustomerRecordPart, unknown>;

const PAGES = Object.fromEntries(
  Object.entries(PARTS).map(([part, { where, rank, at }]) => [
    part,
    {
      name: `customer_records_${part}`,
      text: `select ${COLUMNS_WITHOUT_REFERENCE}, ${rank} as rank, ${instantText(at)} as instant from access_record
        where ${IN_SCOPE} and ${where} and (${rank}, ${at}, id) < ($6::int, $7::timestamptz, $8::uuid)
        order by rank desc, ${at} desc, id desc limit $9`,
    },
  ]),
) as Record<CustomerRecordPart, { name: string; text: string }>;

const BY_ID = {
  name: 'customer_records_by_id',
  text: `select ${COLUMNS_WITHOUT_REFERENCE} from access_record where ${VISIBLE} and id = any($6::uuid[])`,
};

const HOLD = {
  name: 'hold_customer_record',
  text: `select from access_record where ${IN_SCOPE} and id = $6::uuid for no key update`,
};

const WITHDRAW = {
  name: 'withdraw_consent',
  text: withdrawal(`${IN_SCOPE} and id = $6::uuid`, {
    account: `'customer'`,
    reason: `'customer-request'`,
  }),
};

const LOOKS = {
  name: 'customer_looks',
  text: `select record_id as "recordId", display_name as organisation, kind, hour, count
    from (select id, ${IS_OWN} as is_own from access_record where ${VISIBLE}) record
      join look on record_id = record.id left join account using (account_id)
    where hour >= case when is_own then ${MOVED_IN} else greatest(${MOVED_IN}, $5) end and ($6::timestamptz is null or hour + interval '1 hour' <= $6)
    order by hour desc, record_id, kind, account_id limit $7`,
};

/** A look at a record of the customer: by an organisation, or a holder of the key who was not identified. */
export interface Look {
  readonly record: StoredAccessRecord;
  readonly organisation: string | null;
  readonly kind: LookKind;
  readonly hour: Date;
  readonly count: number;
}

type CustomersRow = AccessRecordRow & { readonly rank: number; readonly instant: string };

/** The access records that a customer's session shows, and nothing beyond them: every statement is bound to its scope. */
export class CustomerRecordRepository {
  constructor(private readonly database: Database) {}

  /** A page: of the current part what is ACTIVE before what was DISCOVERED, the newest first; of history the latest end first. */
  async page(scope: CustomerScope, part: CustomerRecordPart, page: PageRequest): Promise<AccessRecordPage> {
    requirePageSize(page.first, LARGEST_PAGE);
    const values = [...bound(scope), ...positionOf(page.after), page.first + 1];
    const { rows } = await this.database.pool.query<CustomersRow>({ ...PAGES[part], values });
    const cursor = ({ rank, instant, id }: CustomersRow) => `${rank}${cursorOf([instant, id])}`;
    return Object.assign(connectionOf(rows, page, cursor, shown), { total: () => this.count(scope, part) });
  }

  /** The record of an id; null out of scope. */
  async byId(scope: CustomerScope, id: string): Promise<StoredAccessRecord | null> {
    return isUuid(id) ? ((await this.byIds(scope, [id]))[0] ?? null) : null;
  }

  /**
   * Withdraws consent: when; undefined when there is no such record in scope that is ACTIVE on consent. The scope is found once more while
   * the record is held: however long the statement waited for the record, it does what the customer may do at that instant.
   */
  async withdraw(
    scope: CustomerScope,
    id: string,
    scopeNow: () => Promise<CustomerScope> = () => Promise.resolve(scope),
  ): Promise<Date | undefined> {
    if (!isUuid(id)) return undefined;
    return inTransaction(this.database.pool, async (session) => {
      const held = await session.query({ ...HOLD, values: [...bound(scope), id] });
      if (held.rowCount !== 1) return undefined;
      const values = [...bound(await scopeNow()), id];
      return (await session.query<{ revoked_at: Date }>({ ...WITHDRAW, values })).rows[0]?.revoked_at;
    });
  }

  /** Who looked at the records in scope during the occupancy, the latest first. */
  async looks(scope: CustomerScope, most: number): Promise<Look[]> {
    const values = [...bound(scope), scope.endedAt, most];
    const { rows } = await this.database.pool.query<Omit<Look, 'record'> & { recordId: string }>({ ...LOOKS, values });
    const records = await this.byIds(scope, [...new Set(rows.map(({ recordId }) => recordId))]);
    const recordOf = new Map(records.map((record) => [record.id, record]));
    return rows.flatMap(({ recordId, ...look }) => {
      const record = recordOf.get(recordId); // it may have gone since
      return record ? [{ ...look, record }] : [];
    });
  }

  private async byIds(scope: CustomerScope, ids: readonly string[]): Promise<StoredAccessRecord[]> {
    const { rows } = await this.database.pool.query<AccessRecordRow>({ ...BY_ID, values: [...bound(scope), ids] });
    return rows.map(shown);
  }

  private async count(scope: CustomerScope, part: CustomerRecordPart): Promise<number> {
    const { rows } = await this.database.pool.query<{ total: string }>({
      name: `count_customer_records_${part}`,
      text: `select count(*) as total from access_record where ${IN_SCOPE} and ${PARTS[part].where}`,
      values: bound(scope),
    });
    return Number(rows[0]?.total);
  }
}

const BEFORE_EVERY_RANK = 2;

function bound({ meterPointId, isCurrent, isContested, ownRecordIds, since, beganAt }: CustomerScope): unknown[] {
  return [meterPointId, isCurrent && !isContested, ownRecordIds, since, beganAt];
}

function positionOf(after: string | null): unknown[] {
  if (after === null) return [BEFORE_EVERY_RANK, ...cursorPosition(null)];
  const rank = /^[01]/.test(after) ? Number(after[0]) : refuseCursor();
  return [rank, ...cursorPosition(after.slice(1))];
}

function shown(row: AccessRecordRow): StoredAccessRecord {
  return new StoredAccessRecord(row, null, true);
}
