import type { ErrorCode } from '../../../schema/error-catalogue';
import type { Violation } from '../../../schema/register-error';
import type { Database } from '../../server/database/database';
import { type ConnectionWithTotal, type PageRequest, withTotal } from '../../server/lists/connection';
import { type OffsetPage, type OffsetRequest, offsetPageOf, requireOffsetPage } from '../../server/lists/offset-page';
import { type InKeyOrder, countRows, inKeyOrder } from '../../server/lists/paged-list';
import type { RegisterEntryStatus } from './register-entry-status';

/** Fields that the entries of every kind have. */
export interface RegisterEntry {
  readonly status: RegisterEntryStatus;
  readonly lastModified: Date;
}

/** A kind of register entry: its table and the errors of its operations. */
export interface EntryKind<Entry extends RegisterEntry> {
  readonly table: 'supplier' | 'rti_user';
  /** Name in the audit. */
  readonly name: 'supplier' | 'rti-user';
  /** The field that identifies an entry; lists are ordered by it. */
  readonly key: keyof Entry & ('mpid' | 'userId');
  /** The columns that an admin writes, by their fields; `status` and `last_modified` are columns of every kind. */
  readonly columns: Readonly<Record<Exclude<keyof Entry & string, keyof RegisterEntry>, string>>;
  /** Fields whose absence leaves the stored value as it is; every other absent field is set to null. */
  readonly keptIfAbsent?: readonly (keyof Entry & string)[];
  /** Personal data: the removal of an entry sets these columns to null. */
  readonly personalColumns?: readonly string[];
  /** Fields whose former and new values the audit states; of the others, which may name people, it states fingerprints. */
  readonly audited: readonly (keyof Entry & string)[];
  readonly notFound: ErrorCode;
  /** The message of CNF001 when an admin saves a removed entry. */
  readonly removed: string;
  /** Unique indexes and check constraints to the violations that they report. */
  readonly conflicts?: Readonly<Record<string, Violation>>;
}

/** Statuses to list; null lists all. */
type StatusFilter = readonly RegisterEntryStatus[] | null;

/** SQL: the columns of an entry, named by their fields. */
export function entryColumns<Entry extends RegisterEntry>({ columns }: EntryKind<Entry>): string {
  return Object.entries<string>({ ...columns, status: 'status', lastModified: 'last_modified' })
    .map(([field, column]) => `${column} as "${field}"`)
    .join(', ');
}

/** SQL: the column of the key. */
export function keyColumn<Entry extends RegisterEntry>({ columns, key }: EntryKind<Entry>): string {
  return (columns as Readonly<Record<string, string>>)[key] as string;
}

const HAS_STATUS = '($1::text[] is null or status = any($1))';

/** Reads the entries of a kind, ordered by key. Nothing is cached, so that a suspension takes effect at once. */
export class RegisterEntryQueries<Entry extends RegisterEntry> {
  private readonly find: (key: string) => Promise<Entry | undefined>;
  private readonly list: InKeyOrder;

  constructor(
    private readonly database: Database,
    kind: EntryKind<Entry>,
  ) {
    const { table, key } = kind;
    const [columns, column] = [entryColumns(kind), keyColumn(kind)];
    this.list = { name: table, columns, from: table, where: HAS_STATUS, key: [column] };
    const byKey = {
      name: `${table}_by_key`,
      text: `select ${columns} from ${table} where ${column} = any($1::text[])`,
    };
    this.find = database.reads.byKey(byKey, (entry: Entry) => String(entry[key]), String);
  }

  /** Returns an entry by its key; null if there is none. */
  async byKey(key: string): Promise<Entry | null> {
    return (await this.find(key)) ?? null;
  }

  /** Returns the page after a cursor; counts the whole list only if a client selects its total. */
  async connection(statuses: StatusFilter, page: PageRequest): Promise<ConnectionWithTotal<Entry>> {
    const listed = await inKeyOrder(this.database.pool, this.list, [statuses], page, (entry: Entry) => entry);
    return withTotal(listed, () => this.count(statuses));
  }

  /** Returns a page by offset; counts the whole list only if a client selects its total. */
  async page(statuses: StatusFilter, request: OffsetRequest): Promise<OffsetPage<Entry>> {
    requireOffsetPage(request);
    const { columns, from, where, key } = this.list;
    const { rows } = await this.database.pool.query<Entry>({
      name: `${from}_page`,
      text: `select ${columns} from ${from} where ${where} order by ${key.join()} limit $2 offset $3`,
      values: [statuses, request.limit + 1, request.offset],
    });
    return offsetPageOf(rows, request, () => this.count(statuses));
  }

  private count(statuses: StatusFilter): Promise<number> {
    return countRows(this.database.pool, this.list, [statuses]);
  }
}
