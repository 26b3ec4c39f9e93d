import { type CountedConnection, type PageRequest, connectionOf, counted } from '../../server/connection';
import type { Database } from '../../server/database';
import { textCursor, textPosition } from '../../server/list-cursor';
import type { RegisterEntryStatus } from '../domain/register-entry-status';
import { type OffsetPage, type OffsetRequest, offsetPageOf, requireOffsetPage } from './offset-page';

/** Where the entries of a register stand, and what is read of them. */
export interface EntryTable {
  readonly table: 'supplier' | 'rti_user';
  /** The key, by which they are in order. */
  readonly key: 'mpid' | 'user_id';
  readonly columns: string;
}

/** Which entries: those of one of these statuses, null for all. */
export type StatusFilter = readonly RegisterEntryStatus[] | null;

const OF_STATUS = '($1::text[] is null or status = any($1))';

/** The entries of a register, in the order of their keys. */
export class RegisterList<Row extends object> {
  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly place: EntryTable,
    private readonly keyOf: (row: Row) => string,
  ) {}

  /** A page after a cursor, and its total. */
  async connection(statuses: StatusFilter, page: PageRequest): Promise<CountedConnection<Row>> {
    const { table, key, columns } = this.place;
    const { rows } = await this.database.pool.query<Row>({
      name: `${table}_after`,
      text: `select ${columns} from ${table} where ${OF_STATUS} and ${key} > $2 order by ${key} limit $3`,
      values: [statuses, textPosition(page.after), page.first + 1],
    });
    const cursor = (row: Row) => textCursor(this.keyOf(row));
    return counted(connectionOf(rows, page, cursor), () => this.count(statuses));
  }

  /** A page by number. */
  async page(statuses: StatusFilter, request: OffsetRequest): Promise<OffsetPage<Row>> {
    requireOffsetPage(request);
    const { table, key, columns } = this.place;
    const { rows } = await this.database.pool.query<Row>({
      name: `${table}_page`,
      text: `select ${columns} from ${table} where ${OF_STATUS} order by ${key} limit $2 offset $3`,
      values: [statuses, request.limit + 1, request.offset],
    });
    return offsetPageOf(rows, request, () => this.count(statuses));
  }

  private async count(statuses: StatusFilter): Promise<number> {
    const { table } = this.place;
    const { rows } = await this.database.pool.query<{ total: string }>({
      name: `count_${table}`,
      text: `select count(*) as total from ${table} where ${OF_STATUS}`,
      values: [statuses],
    });
    return Number(rows[0]?.total);
  }
}
