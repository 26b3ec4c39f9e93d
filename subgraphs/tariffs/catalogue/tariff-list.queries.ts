import {
  type ConnectionWithTotal,
  type PageRequest,
  connectionOf,
  withTotal,
  instantText,
  isInstant,
  rejectCursor,
} from '../../server/lists/connection';
import type { Database } from '../../server/database/database';
import { textCursor, textPosition } from '../../server/lists/list-cursor';
import { type OffsetPage, type OffsetRequest, offsetPageOf, requireOffsetPage } from '../../server/lists/offset-page';
import { countRows } from '../../server/lists/paged-list';
import { MAX_PAGE_BYTES } from './rates-limits';
import { RATES_SIZES } from './rates-sizes.queries';
import { PRESENT_VERSION, type StoredTariff, TARIFF_COLUMNS } from './stored-tariff';
import { type TariffFilter, conditionsOf } from './tariff-conditions.sql';

type ListedTariff = StoredTariff & { readonly instant: string };

const IN_ORDER = 'order by last_modified desc, tariff_id';

/** SQL: the columns of a page of tariff ids. The page is an index-only scan; PostgreSQL reads the tables for its rows only. */
const selectPage = (page: string): string => `
  select ${TARIFF_COLUMNS}, ${instantText('t.last_modified')} as instant from (${page}) page
  join tariff t on t.tariff_id = page.tariff_id join ${PRESENT_VERSION} order by t.last_modified desc, t.tariff_id`;

const POSITION = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z) (trf_[0-9a-f]{32})$/;

/** Decodes a cursor into `last_modified` and id of the tariff before the page. VAL001 unless it is a cursor of this list. */
function positionOf(cursor: string): [instant: string, tariffId: string] {
  const [, instant = '', tariffId = ''] = POSITION.exec(textPosition(cursor)) ?? [];
  return isInstant(instant) ? [instant, tariffId] : rejectCursor();
}

/** Lists tariffs by `last_modified` descending, then `tariff_id` (decisions C/D, D.2). */
export class TariffListQueries {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /**
   * Returns the page after a cursor, with bound rates as in {@link withBoundRates}; counts the whole list only if a client selects its total.
   */
  async connection(
    filter: TariffFilter,
    page: PageRequest,
    boundRates = false,
  ): Promise<ConnectionWithTotal<StoredTariff>> {
    const count = page.first + 1;
    const rows = await (page.after === null ? this.rows(filter, count, 0) : this.after(filter, page.after, count));
    const cursor = ({ instant, tariffId }: ListedTariff) => textCursor(`${instant} ${tariffId}`);
    const first = boundRates ? await this.countWithBoundRates(rows.slice(0, page.first)) : page.first;
    return withTotal(connectionOf(rows, { ...page, first }, cursor), () => this.count(filter));
  }

  /**
   * Returns a page by offset. Its total, if a client selects it, is the offset, the page and the number of entries after the page: wherever a
   * page is, it costs one walk over the list.
   */
  async page(filter: TariffFilter, request: OffsetRequest): Promise<OffsetPage<StoredTariff>> {
    requireOffsetPage(request);
    const { limit, offset } = request;
    const rows = await this.rows(filter, limit + 1, offset);
    return offsetPageOf(rows, request, async () => {
      if (rows.length === 0 && offset > 0) return this.count(filter);
      const next = rows[limit];
      return offset + rows.length + (next === undefined ? 0 : await this.countAfter(filter, next));
    });
  }

  /** Ends a page after at least one tariff, before the stored rates of its tariffs exceed {@link MAX_PAGE_BYTES}. */
  async withBoundRates({ data, meta }: OffsetPage<StoredTariff>): Promise<OffsetPage<StoredTariff>> {
    const count = await this.countWithBoundRates(data);
    return count === data.length
      ? { data, meta }
      : { data: data.slice(0, count), meta: { ...meta, nextOffset: meta.offset + count } };
  }

  /** Returns how many of the first tariffs a page with bound rates has. */
  private async countWithBoundRates(tariffs: readonly StoredTariff[]): Promise<number> {
    const values = [tariffs.map(({ tariffId }) => tariffId)];
    const { rows } = await this.database.pool.query<{ tariffId: string; size: number }>({ ...RATES_SIZES, values });
    const sizes = new Map(rows.map(({ tariffId, size }) => [tariffId, size]));
    let total = 0;
    const end = tariffs.findIndex(({ tariffId }) => (total += sizes.get(tariffId) ?? 0) > MAX_PAGE_BYTES);
    return end === -1 ? tariffs.length : Math.max(end, 1);
  }

  private async rows(filter: TariffFilter, count: number, skipped: number): Promise<ListedTariff[]> {
    const { name, where, values } = conditionsOf(filter);
    const { length } = values;
    const page = `select tariff_id from tariff where ${where} ${IN_ORDER} limit $${length + 1} offset $${length + 2}`;
    const statement = { name: `tariffs_page_${name}`, text: selectPage(page), values: [...values, count, skipped] };
    return (await this.database.pool.query<ListedTariff>(statement)).rows;
  }

  /** Unites the tariffs of the cursor's instant with earlier ones: one index scan cannot start at both positions. */
  private async after(filter: TariffFilter, cursor: string, count: number): Promise<ListedTariff[]> {
    const { name, where, values } = conditionsOf(filter);
    const [instant, tariffId, limit] = [1, 2, 3].map((index) => `$${values.length + index}`);
    const part = (position: string) =>
      `(select tariff_id, last_modified from tariff where ${where} and ${position} ${IN_ORDER} limit ${limit})`;
    const page = `select tariff_id from (${part(`last_modified = ${instant}::timestamptz and tariff_id > ${tariffId}`)}
      union all ${part(`last_modified < ${instant}::timestamptz`)}) part ${IN_ORDER} limit ${limit}`;
    const { rows } = await this.database.pool.query<ListedTariff>({
      name: `tariffs_after_${name}`,
      text: selectPage(page),
      values: [...values, ...positionOf(cursor), count],
    });
    return rows;
  }

  /** Counts the whole list by an index-only scan. */
  private count(filter: TariffFilter): Promise<number> {
    const { name, where, values } = conditionsOf(filter);
    return countRows(this.database.pool, { name: `tariffs_${name}`, from: 'tariff', where }, values);
  }

  /** Counts the entries after one by an index-only scan that starts at its instant. */
  private countAfter(filter: TariffFilter, { instant, tariffId }: ListedTariff): Promise<number> {
    const { name, where: listed, values } = conditionsOf(filter);
    const [at, id] = [1, 2].map((index) => `$${values.length + index}`);
    const where = `${listed} and last_modified <= ${at}::timestamptz and (last_modified < ${at}::timestamptz or tariff_id > ${id})`;
    const list = { name: `tariffs_after_${name}`, from: 'tariff', where };
    return countRows(this.database.pool, list, [...values, instant, tariffId]);
  }
}
