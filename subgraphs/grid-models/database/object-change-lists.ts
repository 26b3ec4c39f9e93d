import {
  type CountedConnection,
  type PageRequest,
  connectionOf,
  counted,
  requirePageSize,
} from '../../server/connection';
import type { Database } from '../../server/database';
import type { CimFile } from '../domain/difference-model';
import { type ObjectChange, type ObjectChangeKind, type ValueChange, objectChange } from '../domain/object-changes';
import { mRIDOf } from '../domain/rdf-resources';
import { LARGEST_PAGE } from './development-project-lists';
import { textCursor, textPosition } from '../../server/list-cursor';
import { longReads, rowsByKey } from '../../server/rows-by-key';
import { requireStorable } from './storable-arguments';
import { ITEM_COLUMNS, type ItemRow, filedItem } from './stored-item';

/** What a version does to an object, as it is stored: its values are read from the items. */
export interface StoredChange extends Omit<ObjectChange, 'values'> {
  readonly versionId: string;
  /** The mRID as it is compared. */
  readonly key: string;
}

/** What becomes of the objects of a class. */
export interface ObjectClassCount {
  readonly versionId: string;
  readonly type: string;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

/** Which changes; null leaves a condition out. */
export interface ChangeFilter {
  readonly kind: ObjectChangeKind | null;
  readonly type: string | null;
  /** The beginning of an mRID or a part of a name, in any case. */
  readonly search: string | null;
}

/** A page of changes. */
export type ObjectChangePage = CountedConnection<StoredChange>;

type FoundChange = StoredChange & { readonly wanted: string };
type FoundItem = Omit<ItemRow, 'number'> & { readonly versionId: string; readonly key: string; readonly file: CimFile };

const COLUMNS =
  'c.project_version as "versionId", c.mrid_key as key, c.mrid as "mRID", c.type, c.kind, c.name, c.files';

const OF_OBJECT = {
  name: 'changes_of_object',
  text: `select found.*, wanted.mrid as wanted from unnest($1::uuid[], $2::text[]) wanted (version, mrid) cross join lateral (
      select ${COLUMNS} from object_change c
      where c.project_version = wanted.version and c.mrid_key = lower(wanted.mrid) offset 0) found`,
};

/** The items of an object over the files of a version, each file by its index: without statistics the planner would rather read it whole. */
const ITEMS = {
  name: 'items_of_changes',
  text: `select found.*, wanted.version as "versionId", wanted.key, m.file
    from unnest($1::uuid[], $2::text[]) wanted (version, key)
      join difference_model m on m.project_version = wanted.version
      cross join lateral (
        select ${ITEM_COLUMNS} from difference_item i where i.model = m.number and i.mrid_key = wanted.key offset 0) found
    order by m.number, found.number`,
};

const CLASS_COUNTS = {
  name: 'object_class_counts',
  text: `select project_version as "versionId", type,
      count(*) filter (where kind = 'added')::integer as added,
      count(*) filter (where kind = 'removed')::integer as removed,
      count(*) filter (where kind = 'changed')::integer as changed
    from object_change where project_version = any($1::uuid[]) group by project_version, type order by count(*) desc, type`,
};

/** `$1` version, `$2` kind, `$3` class, `$4` what is searched for, `$5` the same without what stands before an mRID in a reference. */
const SEARCHED = `(starts_with(c.mrid_key, lower($4::text)) or starts_with(c.mrid_key, lower($5::text)) or strpos(lower(c.name), lower($4::text)) > 0)`;

/** One statement for each set of conditions, so that each keeps a plan of its own index. */
function selection({ kind, type, search }: ChangeFilter) {
  const where = [
    'c.project_version = $1',
    kind === null ? '$2::text is null' : 'c.kind = $2',
    type === null ? '$3::text is null' : 'c.type = $3',
    search === null ? '$4::text is null and $5::text is null' : SEARCHED,
  ].join(' and ');
  const name = [kind && 'kind', type && 'type', search !== null && 'search'].filter(Boolean).join('_');
  return { name, where, isOfAllKinds: type !== null && kind === null };
}

/** The index of a class is ordered by kind first: all kinds together are the beginnings of three lists. */
function pageText({ where, isOfAllKinds }: ReturnType<typeof selection>): string {
  const rows = (kind: string) => `select ${COLUMNS} from object_change c where ${where} and c.mrid_key > $6
    ${kind} order by c.mrid_key limit $7`;
  if (!isOfAllKinds) return rows('');
  return `select change.* from unnest('{added,removed,changed}'::text[]) of_kind cross join lateral (
    ${rows('and c.kind = of_kind')}) change order by change.key limit $7`;
}

/** What versions do to objects. */
export class ObjectChangeLists {
  private readonly rowsOfObject: (version: string, mRID: string) => Promise<readonly FoundChange[]>;
  private readonly items: (version: string, key: string) => Promise<readonly FoundItem[]>;
  /** What becomes of the objects of a version by class, the largest classes first: every entry of an index is read. */
  readonly classCounts: (versionId: string) => Promise<readonly ObjectClassCount[]>;

  constructor(private readonly database: Pick<Database, 'reads' | 'pool'>) {
    const { reads } = database;
    this.rowsOfObject = rowsByKey(reads, OF_OBJECT, (row: FoundChange) => [row.versionId, row.wanted] as const);
    this.items = rowsByKey(reads, ITEMS, (row: FoundItem) => [row.versionId, row.key] as const);
    this.classCounts = rowsByKey(
      longReads(database),
      CLASS_COUNTS,
      ({ versionId }: ObjectClassCount) => [versionId] as const,
    );
  }

  /** What a version does to one object; its mRID may be written as files refer to it. */
  async ofObject(versionId: string, mRID: string): Promise<StoredChange | null> {
    requireStorable({ mRID });
    const [exact] = await this.rowsOfObject(versionId, mRID);
    const named = mRIDOf(mRID);
    return exact ?? (named === mRID ? null : ((await this.rowsOfObject(versionId, named))[0] ?? null));
  }

  /** The attributes and associations of an object, old and new. */
  async values({ versionId, key }: StoredChange): Promise<readonly ValueChange[]> {
    const items = await this.items(versionId, key);
    return items.length === 0 ? [] : objectChange(items.map(filedItem)).values;
  }

  /** A page of what a version does, in the order of mRIDs. What is searched for is looked for in one walk over its objects. */
  async page(versionId: string, filter: ChangeFilter, page: PageRequest): Promise<ObjectChangePage> {
    requirePageSize(page.first, LARGEST_PAGE);
    requireStorable({ type: filter.type, search: filter.search });
    const selected = selection(filter);
    const { rows } = await this.database.pool.query<StoredChange>({
      name: `changes_${selected.name}`,
      text: pageText(selected),
      values: [...valuesOf(versionId, filter), textPosition(page.after), page.first + 1],
    });
    return counted(
      connectionOf(rows, page, ({ key }) => textCursor(key)),
      () => this.count(versionId, filter),
    );
  }

  private async count(versionId: string, filter: ChangeFilter): Promise<number> {
    const { name, where } = selection(filter);
    const { rows } = await this.database.pool.query<{ total: string }>({
      name: `count_changes_${name}`,
      text: `select count(*) as total from object_change c where ${where}`,
      values: valuesOf(versionId, filter),
    });
    return Number(rows[0]?.total);
  }
}

/** A search that is nothing but the beginning of a reference is for that text. */
function valuesOf(versionId: string, { kind, type, search }: ChangeFilter): unknown[] {
  return [versionId, kind, type, search, search === null ? null : mRIDOf(search) || search];
}
