import { countListings } from '../customers/lookup-counts.repository';
import { ACCESS_STATES } from './access-record';
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
  /** The `from` clause of a page, by its parts; by default they are read with all columns. */
  readonly source?: (parts: PageParts) => string;
}

/** SQL of the parts of a page. */
interface PageParts {
  readonly parts: readonly string[];
  /** Conditions, order and limit of each part. */
  readonly ofPage: string;
  /** Order and limit of the page. */
  readonly newest: string;
}

const union = (columns: string, { parts, ofPage }: PageParts): string =>
  parts.map((part) => `(select ${columns} from ${part} and ${ofPage})`).join(' union all ');

function withAllColumns(page: PageParts): string {
  const { parts, ofPage, newest } = page;
  return parts.length === 1 ? `${parts.join()} and ${ofPage}` : `(${union('*', page)}) access_record ${newest}`;
}

/**
 * Selects the ids of a page, then its rows: PostgreSQL reads `access_record_in_state`, which has the legal basis, and no row that is not in
 * the page. `offset 0` makes it read each row by its id also where it does not know how many a page has.
 */
const rowsById = (ids: string): string => `(select access_record.* from (${ids}) listed
    cross join lateral (select * from access_record where id = listed.id offset 0) access_record) access_record`;

const idsFirst = (page: PageParts): string => rowsById(`${union('id, created_at', page)} ${page.newest}`);

const idsOfEachDataUserFirst = (page: PageParts): string =>
  rowsById(`select of_data_user.* from account data_user
    cross join lateral (${union('id, created_at', page)} ${page.newest}) of_data_user
    where data_user.duid is not null and ${OF_ALL} ${page.newest}`);

/** A page is read and its listing counted by one statement, so that no list of records is read uncounted. */
function list(name: string, where: string, options: ListOptions = {}): ListStatements {
  const { identityRecordRef, parameters = 4, source = withAllColumns } = options;
  const { parts = [`access_record where ${where}`] } = options;
  const [createdAt, id, limit, account, withVersions, withDocument] = [1, 2, 3, 4, 5, 6].map(
    (number) => `$${parameters + number}`,
  );
  const columns = COLUMNS_WITH_OPTIONAL_DOCUMENT(`${withDocument}::boolean`, identityRecordRef);
  const newest = `${NEWEST_FIRST} limit ${limit}`;
  const ofPage = `${filters()} and (created_at, id) < (${createdAt}::timestamptz, ${id}::uuid) ${newest}`;
  const rows = `select ${columns}, meter_point_id, date_part('epoch', created_at) as created_seconds from ${source({ parts, ofPage, newest })}`;
  const listed = `select id, meter_point_id from sized where fits ${NEWEST_FIRST} limit ${limit} - 1`;
  const page = `with ${sizedPage(rows, NEWEST_FIRST, `${withVersions}::boolean`)},
    looked as (${countListings(listed, account as string)})
    ${selectFitting(NEWEST_FIRST)}`;
  return { name, where, page };
}

/** SQL: the list is that of the REVOKED records of a terminated Data User. */
const readsRevoked = (duid: string): string => `$3 = 'REVOKED' and data_user_terminations() ? ${duid}`;

const ofDataUser = (duid = '$1'): string => `duid = ${duid} and $2::text is null`;
const OF_ALL = '$1::text is null and $2::text is null';

/**
 * The records of a Data User that read the state `$3`: those that are stored with it, in the order of their index, and those that are stored
 * ACTIVE and read another state, because no sweep has stored their expiry, or the termination of the Data User. The expired ones are
 * selected before they are ordered: PostgreSQL would rather search all ACTIVE records in the order of the list.
 */
const inState = (duid = '$1'): readonly string[] => [
  `access_record where ${ofDataUser(duid)} and state = $3`,
  `(select * from access_record where duid = ${duid} and ${hasRecentlyExpired()} offset 0) access_record
    where ($3 = 'EXPIRED' or ${readsRevoked(duid)})`,
  `access_record where duid = ${duid} and state = 'ACTIVE' and ${isUnexpired()} and ${readsRevoked(duid)}`,
];

/** The records of a Data User in all states, each in the order of `access_record_in_state`. */
const inEachState = (duid = '$1'): readonly string[] =>
  ACCESS_STATES.map((state) => `access_record where ${ofDataUser(duid)} and state = '${state}'`);

/**
 * One list per combination of conditions, so that each has a plan with its own index. Only portals read the records of all Data Users
 * at a meter point. They receive what the occupant reads in the customer portal, except claimed records.
 */
export const LISTS = {
  everything: list('access_records', OF_ALL),
  dataUser: list('access_records_of_data_user', ofDataUser()),
  dataUserInState: list('access_records_of_data_user_in_state', ofDataUser(), { parts: inState() }),
  ownAtMeterPoint: list('own_access_records_at_meter_point', 'meter_point_id = $2 and duid = $1'),
  meterPoint: list(
    'access_records_at_meter_point',
    `$1::text is null and meter_point_id = $2 and claimed_at is null and (${IN_FORCE} or ${ENDED_AT} >= ${OF_OCCUPANT})`,
    { identityRecordRef: NO_REFERENCE, parameters: 7 },
  ),
};

/**
 * Lists of the records with a legal basis, which may be few of many. A legal basis has only a record of a Data User: the list of all records
 * is that of each Data User, in one order.
 */
export const LISTS_OF_BASIS = {
  everything: list('access_records_of_basis', OF_ALL, {
    parts: inEachState('data_user.duid'),
    source: idsOfEachDataUserFirst,
  }),
  everythingInState: list('access_records_of_basis_in_state', OF_ALL, {
    parts: inState('data_user.duid'),
    source: idsOfEachDataUserFirst,
  }),
  dataUser: list('access_records_of_data_user_of_basis', ofDataUser(), { parts: inEachState(), source: idsFirst }),
  dataUserInState: list('access_records_of_data_user_of_basis_in_state', ofDataUser(), {
    parts: inState(),
    source: idsFirst,
  }),
};
