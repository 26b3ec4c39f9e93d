import { type ConnectionWithTotal, type PageRequest, withTotal, requirePageSize } from '../../server/lists/connection';
import type { Database } from '../../server/database/database';
import type { DifferenceSection } from '../rdf/difference-model';
import { mRIDOf } from '../rdf/rdf-resources';
import { MAX_PAGE_SIZE } from '../projects/development-project.queries';
import type { StoredModel } from './difference-model.queries';
import { inKeyOrder } from '../../server/lists/paged-list';
import { requireWellFormed } from '../well-formed-arguments';
import { ITEM_COLUMNS, type ItemRow, type ShownItem, shownItem } from './stored-item.queries';

/** Conditions on items; null means no condition. */
interface ItemFilter {
  readonly section: DifferenceSection | null;
  readonly type: string | null;
  readonly mRID: string | null;
  readonly statement: { readonly name: string; readonly value: string | null } | null;
}

/** A page of items. */
export type DifferenceItemPage = ConnectionWithTotal<ShownItem>;

/** Tables from which items are read in the order of their numbers, with the conditions of the index that is used. */
interface ItemSource {
  readonly name: string;
  readonly from: string;
  /** The item number by which that index is sorted. */
  readonly number: string;
  readonly where: readonly string[];
}

/** Items with a statement. `lateral … offset 0` forces a lookup by primary key: the columns have no statistics (see migration 0001). */
const ITEM_OF_STATEMENT = `item_statement s cross join lateral (
  select * from difference_item where model = s.model and number = s.item offset 0) i`;

/**
 * Parameters: `$1` model, `$2` section, `$3` class, `$4` mRID, `$5` name and `$6` value of a statement; `$7` and `$8` mRID and value
 * without the prefix of a reference (`#_`, `urn:uuid:`).
 */
const SOURCES = {
  all: { name: 'all', from: 'difference_item i', number: 'i.number', where: ['i.model = $1'] },
  mRID: {
    name: 'mrid',
    // `offset 0` makes PostgreSQL read and sort the few items of the object instead of scanning the file by number.
    from: '(select * from difference_item where model = $1 and mrid_key in (lower($4::text), lower($7::text)) offset 0) i',
    number: 'i.number',
    where: [],
  },
  statement: {
    name: 'statement',
    from: ITEM_OF_STATEMENT,
    number: 's.item',
    where: ['s.model = $1', 's.name = $5'],
  },
  value: {
    name: 'value',
    from: ITEM_OF_STATEMENT,
    number: 's.item',
    where: ['s.model = $1', "s.statement_hash = hashtext($5::text || ' ' || statement_key($6::text))"],
  },
} as const satisfies Record<string, ItemSource>;

/** Targets are mRIDs, compared case-insensitively, with or without the prefix of a reference. */
const HAS_STATEMENT = `exists (select from jsonb_array_elements(i.statements) s
  where s ->> 0 = $5 and ($6::text is null or s ->> 2 = $6
    or s ->> 1 = 'association' and lower(s ->> 2) in (lower($6), lower($8::text))))`;

/** The items of a section have consecutive numbers: their bounds narrow every index that is sorted by number. */
const inSection = (number: string) => {
  const end = (order: string) =>
    `(select number from difference_item where model = $1 and section = $2 order by number ${order} limit 1)`;
  return `${number} >= ${end('asc')} and ${number} <= ${end('desc')} and i.section = $2`;
};

/** Chooses the most selective index: mRID, then value, then name of a statement. The other conditions filter its rows. */
function sourceOf({ mRID, statement }: ItemFilter): ItemSource {
  if (mRID !== null) return SOURCES.mRID;
  if (statement === null) return SOURCES.all;
  return statement.value === null ? SOURCES.statement : SOURCES.value;
}

/** Builds one statement per set of conditions, so that each prepared plan uses the index for these conditions. */
function selection(filter: ItemFilter) {
  const source = sourceOf(filter);
  const { section, type, statement } = filter;
  const conditions = [
    ...source.where,
    section === null ? '$2::text is null' : inSection(source.number),
    type === null ? '$3::text is null' : 'i.type = $3',
    ...(source === SOURCES.mRID ? [] : ['$4::text is null and $7::text is null']),
    statement === null ? '$5::text is null and $6::text is null and $8::text is null' : HAS_STATEMENT,
  ];
  const name = [source.name, section && 'section', type && 'type', statement && 'statement'].filter(Boolean).join('_');
  return { ...source, name, where: conditions.join(' and ') };
}

function valuesOf({ number }: StoredModel, { section, type, mRID, statement }: ItemFilter): unknown[] {
  const { name = null, value = null } = statement ?? {};
  const [object, target] = [mRID, value].map((reference) => (reference === null ? null : mRIDOf(reference)));
  return [number, section, type, mRID, name, value, object, target];
}

/** Queries for the items of difference models, in the order of the file. */
export class DifferenceItemQueries {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** Returns a page of the items of a model. */
  async page(model: StoredModel, filter: ItemFilter, page: PageRequest): Promise<DifferenceItemPage> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    const { type, mRID, statement } = filter;
    requireWellFormed({ type, mRID, name: statement?.name, value: statement?.value });
    const { name, from, number, where } = selection(filter);
    const columns = `distinct on (${number}) ${ITEM_COLUMNS}`;
    const list = { name: `items_${name}`, columns, from, where, key: [number], isNumber: true };
    const nodeOf = (row: ItemRow) => shownItem(model, row);
    const listed = await inKeyOrder(this.database.pool, list, valuesOf(model, filter), page, nodeOf);
    return withTotal(listed, () => this.count(model, filter));
  }

  /** Counts the items of the list: from the stored class counts, or in an index if conditions need the items. */
  private async count(model: StoredModel, filter: ItemFilter): Promise<number> {
    const isCounted = filter.mRID === null && filter.statement === null;
    const { name, from, number, where } = selection(filter);
    const { rows } = await this.database.pool.query<{ total: string }>(
      isCounted
        ? { ...STORED_TOTAL, values: [model.number, filter.section, filter.type] }
        : {
            name: `count_items_${name}`,
            text: `select count(distinct ${number}) as total from ${from} where ${where}`,
            values: valuesOf(model, filter),
          },
    );
    return Number(rows[0]?.total);
  }
}

const STORED_TOTAL = {
  name: 'count_items_by_class',
  text: `select coalesce(sum(items), 0) as total from class_count
    where model = $1 and ($2::text is null or section = $2) and ($3::text is null or type = $3)`,
};
