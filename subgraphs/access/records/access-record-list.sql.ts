import { countListings } from '../customers/lookup-counts.repository';
import { selectFitting, sizedPage } from './page-size.sql';
import { ENDED_AT, IN_FORCE, hasRecentlyExpired, historyStart, isUnexpired, stateNow } from './record-state.sql';
import { COLUMNS_WITH_OPTIONAL_DOCUMENT, NO_REFERENCE } from './stored-access-record.queries';

/** SQL: a record has the state `$3` and the legal basis `$4`; null admits every record. */
export const filters = (): string =>
  `($3::text is null or ${stateNow()} = $3) and ($4::text is null or legal_basis = $4)`;

const NEWEST_FIRST = 'order by created_at desc, id desc';
const OF_OCCUPANT = historyStart({ isOwn: 'identity_record_id = any($5::uuid[])', since: '$6', beganAt: '$7' });

/** Statements of a list of access records. */
export interface ListStatements {
  readonly name: string;
  /** Condition on the records of the list. */
  readonly where: string;
  /** Statement that reads a page. */
  readonly page: string;
}

interface ListOptions {
  /** SQL of the Identity Record reference; that of the record by default. */
  readonly identityRecordRef?: string;
  /** Number of parameters of the conditions; those of the page follow. */
  readonly parameters?: number;
  /** The `from` and `where` clauses that together select the records of the list, each by its own index; one by default. */
  readonly parts?: readonly string[];
}

/** A page is read and its listing counted by one statement, so that no list of records is read uncounted. */
function list(name: string, where: string, options: ListOptions = {}): ListStatements {
  const { identityRecordRef, parameters = 4, parts = [`access_record where ${where}`] } = options;
  const [createdAt, id, limit, account, withVersions, withDocument] = [1, 2, 3, 4, 5, 6].map(
    (number) => `$${parameters + number}`,
  );
  const columns = COLUMNS_WITH_OPTIONAL_DOCUMENT(`${withDocument}::boolean`, identityRecordRef);
  const newest = `${NEWEST_FIRST} limit ${limit}`;
  const ofPage = `${filters()} and (created_at, id) < (${createdAt}::timestamptz, ${id}::uuid) ${newest}`;
  const [first = '', ...others] = parts.map((part) => `${part} and ${ofPage}`);
  const source =
    others.length === 0
      ? first
      : `(${[first, ...others].map((part) => `(select * from ${part})`).join(' union all ')}) access_record ${newest}`;
  const rows = `select ${columns}, meter_point_id, date_part('epoch', created_at) as created_seconds from ${source}`;
  const listed = `select id, meter_point_id from sized where fits ${NEWEST_FIRST} limit ${limit} - 1`;
  const page = `with ${sizedPage(rows, NEWEST_FIRST, `${withVersions}::boolean`)},
    looked as (${countListings(listed, account as string)})
    ${selectFitting(NEWEST_FIRST)}`;
  return { name, where, page };
}

/** SQL: the list is that of the REVOKED records of a terminated Data User. */
const READS_REVOKED = `$3 = 'REVOKED' and data_user_terminations() ? $1`;

const OF_DATA_USER = 'duid = $1 and $2::text is null';

/**
 * The records of a Data User that read the state `$3`: those that are stored with it, in the order of their index, and those that are stored
 * ACTIVE and read another state, because no sweep has stored their expiry, or the termination of the Data User. The expired ones are
 * selected before they are ordered: PostgreSQL would rather search all ACTIVE records in the order of the list.
 */
const IN_STATE = [
  `access_record where ${OF_DATA_USER} and state = $3`,
  `(select * from access_record where duid = $1 and ${hasRecentlyExpired()} offset 0) access_record
    where ($3 = 'EXPIRED' or ${READS_REVOKED})`,
  `access_record where duid = $1 and state = 'ACTIVE' and ${isUnexpired()} and ${READS_REVOKED}`,
];

/**
 * One list per combination of conditions, so that each has a plan with its own index. Only portals read the records of all Data Users
 * at a meter point. They receive what the occupant reads in the customer portal, except claimed records.
 */
export const LISTS = {
  everything: list('access_records', '$1::text is null and $2::text is null'),
  dataUser: list('access_records_of_data_user', OF_DATA_USER),
  dataUserInState: list('access_records_of_data_user_in_state', OF_DATA_USER, { parts: IN_STATE }),
  ownAtMeterPoint: list('own_access_records_at_meter_point', 'meter_point_id = $2 and duid = $1'),
  meterPoint: list(
    'access_records_at_meter_point',
    `$1::text is null and meter_point_id = $2 and claimed_at is null and (${IN_FORCE} or ${ENDED_AT} >= ${OF_OCCUPANT})`,
    { identityRecordRef: NO_REFERENCE, parameters: 7 },
  ),
};
