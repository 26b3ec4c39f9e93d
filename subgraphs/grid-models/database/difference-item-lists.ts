import {
  type CountedConnection,
  type PageRequest,
  connectionOf,
  counted,
  requirePageSize,
} from '../../server/connection';
import type { Database } from '../../server/database';
import type { DifferenceSection } from '../domain/difference-model';
import { mRIDOf } from '../domain/rdf-resources';
import { LARGEST_PAGE } from './development-project-lists';
import type { StoredModel } from './difference-model-lists';
import { numberPosition, textCursor } from '../../server/list-cursor';
import { requireStorable } from './storable-arguments';
import { ITEM_COLUMNS, type ItemRow, type ShownItem, shownItem } from './stored-item';

/** Which items; null leaves a condition out. */
export interface ItemFilter {
  readonly section: DifferenceSection | null;
  readonly type: string | null;
  readonly mRID: string | null;
  readonly statement: { readonly name: string; readonly value: string | null } | null;
}

/** A page of items. */
export type DifferenceItemPage = CountedConnection<ShownItem>;

/** Where items are read from in the order of their numbers, and what each condition adds. */
interface ItemSource {
  readonly name: string;
  readonly from: string;
  /** The number by which the index of the source is ordered. */
  readonly number: string;
  readonly where: readonly string[];
}

/** Items that have a statement, each looked for by its number: whatever the planner takes the model for, it does not read all of it. */
const ITEM_OF_STATEMENT = `item_statement s cross join lateral (
  select * from difference_item where model = s.model and number = s.item offset 0) i`;

/** `$1` model, `$2` section, `$3` class, `$4` mRID, `$5` name and `$6` value of a statement; `$7` and `$8` mRID and value as a reference of a file is read. */
const SOURCES = {
  all: { name: 'all', from: 'difference_item i', number: 'i.number', where: ['i.model = $1'] },
  mRID: {
    name: 'mrid',
    // All items of one object are few, and sorted: nothing else would keep the planner from walking the whole file for them.
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

/** Targets are mRIDs, which are compared without regard to case; `_` or `#_` before them may stand or not. */
const HAS_STATEMENT = `exists (select from jsonb_array_elements(i.statements) s
  where s ->> 0 = $5 and ($6::text is null or s ->> 2 = $6
    or s ->> 1 = 'association' and lower(s ->> 2) in (lower($6), lower($8::text))))`;

/** A section is one run of numbers: as bounds it narrows every index that is ordered by them. */
const inSection = (number: string) => {
  const end = (order: string) =>
    `(select number from difference_item where model = $1 and section = $2 order by number ${order} limit 1)`;
  return `${number} >= ${end('asc')} and ${number} <= ${end('desc')} and i.section = $2`;
};

/** The rarest of what is asked for is the way in; the rest is a condition. */
function sourceOf({ mRID, statement }: ItemFilter): ItemSource {
  if (mRID !== null) return SOURCES.mRID;
  if (statement === null) return SOURCES.all;
  return statement.value === null ? SOURCES.statement : SOURCES.value;
}

/** One statement for each set of conditions, so that each keeps a plan of its own index. */
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
  const name = [source.name, section && 'section', type && 'type', statement && 'says'].filter(Boolean).join('_');
  return { ...source, name, where: conditions.join(' and ') };
}

function valuesOf({ number }: StoredModel, { section, type, mRID, statement }: ItemFilter): unknown[] {
  const { name = null, value = null } = statement ?? {};
  const [object, target] = [mRID, value].map((reference) => (reference === null ? null : mRIDOf(reference)));
  return [number, section, type, mRID, name, value, object, target];
}

/** Items of difference models, in the order of their file. */
export class DifferenceItemLists {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** A page of the items of a model. */
  async page(model: StoredModel, filter: ItemFilter, page: PageRequest): Promise<DifferenceItemPage> {
    requirePageSize(page.first, LARGEST_PAGE);
    const { type, mRID, statement } = filter;
    requireStorable({ type, mRID, name: statement?.name, value: statement?.value });
    const { name, from, number, where } = selection(filter);
    const { rows } = await this.database.pool.query<ItemRow>({
      name: `items_${name}`,
      text: `select distinct on (${number}) ${ITEM_COLUMNS} from ${from} where ${where} and ${number} > $9
        order by ${number} limit $10`,
      values: [...valuesOf(model, filter), numberPosition(page.after), page.first + 1],
    });
    return counted(
      connectionOf(
        rows,
        page,
        (row) => textCursor(String(row.number)),
        (row) => shownItem(model, row),
      ),
      () => this.count(model, filter),
    );
  }

  /** How many items the list has: known by class, or counted in an index. */
  private async count(model: StoredModel, filter: ItemFilter): Promise<number> {
    const isKnown = filter.mRID === null && filter.statement === null;
    const { name, from, number, where } = selection(filter);
    const { rows } = await this.database.pool.query<{ total: string }>(
      isKnown
        ? { ...KNOWN_TOTAL, values: [model.number, filter.section, filter.type] }
        : {
            name: `count_items_${name}`,
            text: `select count(distinct ${number}) as total from ${from} where ${where}`,
            values: valuesOf(model, filter),
          },
    );
    return Number(rows[0]?.total);
  }
}

const KNOWN_TOTAL = {
  name: 'count_items_by_class',
  text: `select coalesce(sum(items), 0) as total from class_count
    where model = $1 and ($2::text is null or section = $2) and ($3::text is null or type = $3)`,
};
