import {
  type CountedConnection,
  type PageRequest,
  connectionOf,
  counted,
  instantText,
  isInstant,
  refuseCursor,
} from '../../server/connection';
import type { Database } from '../../server/database';
import { textCursor, textPosition } from '../../server/list-cursor';
import { type OffsetPage, type OffsetRequest, offsetPageOf, requireOffsetPage } from './offset-page';
import { PRESENT_VERSION, type StoredTariff, TARIFF_COLUMNS } from './stored-tariff';
import { type TariffFilter, conditionsOf } from './tariff-conditions';

type ListedTariff = StoredTariff & { readonly instant: string };

const IN_ORDER = 'order by last_modified desc, tariff_id';

/** The tariffs of a page: conditions and order are read of an index alone, what is shown of the tables. */
const shown = (page: string, more = ''): string => `select ${TARIFF_COLUMNS} ${more} from (${page}) page
  join tariff t on t.tariff_id = page.tariff_id join ${PRESENT_VERSION} order by t.last_modified desc, t.tariff_id`;

const INSTANT = `, ${instantText('t.last_modified')} as instant`;

const POSITION = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z) (trf_[0-9a-f]{32})$/;

/** Where a page begins: instant and id of the tariff before it. */
function positionOf(cursor: string): [instant: string, tariffId: string] {
  const [, instant = '', tariffId = ''] = POSITION.exec(textPosition(cursor)) ?? [];
  return isInstant(instant) ? [instant, tariffId] : refuseCursor();
}

/** Tariffs in order: last_modified descending, tariff_id (3-decisions-c-d.md, D.2). */
export class TariffLists {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** A page after a cursor, and its total. */
  async connection(filter: TariffFilter, page: PageRequest): Promise<CountedConnection<StoredTariff>> {
    const rows = await (page.after === null ? this.first(filter, page) : this.after(filter, page.after, page.first));
    const cursor = ({ instant, tariffId }: ListedTariff) => textCursor(`${instant} ${tariffId}`);
    return counted(connectionOf(rows, page, cursor), () => this.count(filter));
  }

  /** A page by number: what comes before it is skipped in the index. */
  async page(filter: TariffFilter, request: OffsetRequest): Promise<OffsetPage<StoredTariff>> {
    requireOffsetPage(request);
    const { name, where, values } = conditionsOf(filter, 3);
    const page = `select tariff_id from tariff where ${where} ${IN_ORDER} limit $1 offset $2`;
    const { rows } = await this.database.pool.query<StoredTariff>({
      name: `tariffs_page_${name}`,
      text: shown(page),
      values: [request.limit + 1, request.offset, ...values],
    });
    return offsetPageOf(rows, request, () => this.count(filter));
  }

  private async first(filter: TariffFilter, { first }: PageRequest): Promise<ListedTariff[]> {
    const { name, where, values } = conditionsOf(filter, 2);
    const page = `select tariff_id from tariff where ${where} ${IN_ORDER} limit $1`;
    const statement = { name: `tariffs_first_${name}`, text: shown(page, INSTANT), values: [first + 1, ...values] };
    return (await this.database.pool.query<ListedTariff>(statement)).rows;
  }

  /** Those of the same instant, then those of earlier ones: no index can be entered at both at once. */
  private async after(filter: TariffFilter, cursor: string, first: number): Promise<ListedTariff[]> {
    const { name, where, values } = conditionsOf(filter, 4);
    const part = (place: string) =>
      `(select tariff_id, last_modified from tariff where ${where} and ${place} ${IN_ORDER} limit $1)`;
    const page = `select tariff_id from (${part('last_modified = $2::timestamptz and tariff_id > $3')}
      union all ${part('last_modified < $2::timestamptz')}) part ${IN_ORDER} limit $1`;
    const { rows } = await this.database.pool.query<ListedTariff>({
      name: `tariffs_after_${name}`,
      text: shown(page, INSTANT),
      values: [first + 1, ...positionOf(cursor), ...values],
    });
    return rows;
  }

  /** How many tariffs the whole list has: every entry of an index is read, and nothing else. */
  private async count(filter: TariffFilter): Promise<number> {
    const { name, where, values } = conditionsOf(filter, 1);
    const { rows } = await this.database.pool.query<{ total: string }>({
      name: `count_tariffs_${name}`,
      text: `select count(*) as total from tariff where ${where}`,
      values: [...values],
    });
    return Number(rows[0]?.total);
  }
}
