import { type ConnectionWithTotal, type PageRequest, withTotal, requirePageSize } from '../../server/lists/connection';
import type { Database } from '../../server/database/database';
import { type CimFile, UNKNOWN_CLASS } from '../rdf/difference-model';
import { type ObjectChange, type ObjectChangeKind, type ValueChange, objectChange } from './object-changes';
import { proposedClass } from './proposed-class';
import { mRIDOf } from '../rdf/rdf-resources';
import { MAX_PAGE_SIZE } from '../projects/development-project.queries';
import { countRows, inKeyOrder } from '../../server/lists/paged-list';
import { longReads, rowsByKey } from '../../server/database/rows-by-key';
import { requireMRIDs, requireWellFormed } from '../well-formed-arguments';
import { ITEM_COLUMNS, type ItemRow, filedItem, statementsOf } from '../difference-models/stored-item.queries';

/** A stored change of an object in a version. Its values are not stored: they are computed from the items. */
export interface StoredChange extends Omit<ObjectChange, 'values'> {
  readonly versionId: string;
  /** The mRID in lower case, by which objects are compared. */
  readonly key: string;
}

/** Number of changed objects of a class, by kind of change. */
export interface ObjectClassCount {
  readonly versionId: string;
  readonly type: string;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

/** Conditions on changes; null means no condition. */
interface ChangeFilter {
  readonly kind: ObjectChangeKind | null;
  readonly type: string | null;
  /** Start of an mRID or part of a name; case-insensitive. */
  readonly search: string | null;
}

/** A page of changes. */
export type ObjectChangePage = ConnectionWithTotal<StoredChange>;

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

/** The items of objects in the files of a version. `offset 0` forces an index lookup per file: the columns have no statistics. */
const ITEMS = {
  name: 'items_of_changes',
  text: `select found.*, wanted.version as "versionId", wanted.key, m.file
    from unnest($1::uuid[], $2::text[]) wanted (version, key)
      join difference_model m on m.project_version = wanted.version
      cross join lateral (
        select ${ITEM_COLUMNS} from difference_item i where i.model = m.number and i.mrid_key = wanted.key offset 0) found
    order by m.number, found.number`,
};

/**
 * The stored counts of versions, largest class first; of a version without any, which a replica of the previous release has published, the
 * number of its changes.
 */
const CLASS_COUNTS = {
  name: 'object_class_counts',
  text: `with counted as (
      select project_version, type, kind, objects from object_class_count where project_version = any($1::uuid[])
      union all
      select c.* from unnest($1::uuid[]) wanted (version) cross join lateral (
        select project_version, coalesce(listed_type, type), kind, count(*) from object_change
        where project_version = wanted.version group by project_version, coalesce(listed_type, type), kind offset 0) c
      where not exists (select from object_class_count where project_version = wanted.version))
    select project_version as "versionId", type,
      coalesce(sum(objects) filter (where kind = 'added'), 0)::integer as added,
      coalesce(sum(objects) filter (where kind = 'removed'), 0)::integer as removed,
      coalesce(sum(objects) filter (where kind = 'changed'), 0)::integer as changed
    from counted group by project_version, type order by sum(objects) desc, type`,
};

/** `$1` version, `$2` kind, `$3` class, `$4` search text, `$5` search text without the prefix of a reference (`#_`, `urn:uuid:`). */
const SEARCHED = `(starts_with(c.mrid_key, lower($4::text)) or starts_with(c.mrid_key, lower($5::text)) or strpos(lower(c.name), lower($4::text)) > 0)`;

/** The class under which an object is listed (see migration 0008). */
const LISTED_TYPE = 'coalesce(c.listed_type, c.type)';

/** Sort key of an object in a list: class and name, points last (see migration 0003). */
const LIST_KEY = `list_key(${LISTED_TYPE}, c.name) collate "C"`;

/** Bounds of the sort key of one class: a page of a class is one range of the index. */
const OF_CLASS = `${LISTED_TYPE} = $3 and ${LIST_KEY} >= class_key($3) collate "C" and ${LIST_KEY} < (class_key($3) || E'\\x03') collate "C"`;

/** Builds one statement per set of conditions, so that each prepared plan uses the index for these conditions. */
function listOf({ kind, type, search }: ChangeFilter) {
  const where = [
    'c.project_version = $1',
    kind === null ? '$2::text is null' : 'c.kind = $2',
    type === null ? '$3::text is null' : OF_CLASS,
    search === null ? '$4::text is null and $5::text is null' : SEARCHED,
  ].join(' and ');
  const name = [kind && 'kind', type && 'type', search !== null && 'search'].filter(Boolean).join('_');
  return { name: `changes_${name}`, columns: COLUMNS, from: 'object_change c', where, key: [LIST_KEY, 'c.mrid_key'] };
}

/** Queries for the changes that versions make to objects. */
export class ObjectChangeQueries {
  private readonly rowsOfObject: (version: string, mRID: string) => Promise<readonly FoundChange[]>;
  private readonly items: (version: string, key: string) => Promise<readonly FoundItem[]>;
  /** Changed objects of a version by class, largest class first. */
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

  /** Returns the change of one object, or null. The mRID may be written as a reference: `#_…`, `urn:uuid:…`. */
  async ofObject(versionId: string, mRID: string): Promise<StoredChange | null> {
    requireWellFormed({ mRID });
    const [exact] = await this.rowsOfObject(versionId, mRID);
    const named = mRIDOf(mRID);
    return exact ?? (named === mRID ? null : ((await this.rowsOfObject(versionId, named))[0] ?? null));
  }

  /** Returns the changes of the named objects, each once, in the order of the mRIDs. Objects without a change are missing. */
  async ofObjects(versionId: string, mRIDs: readonly string[]): Promise<readonly StoredChange[]> {
    requireMRIDs(mRIDs);
    const changes = await Promise.all(mRIDs.map((mRID) => this.ofObject(versionId, mRID)));
    return [...new Map(changes.flatMap((change) => (change === null ? [] : [[change.key, change]]))).values()];
  }

  /** Returns the changed attributes and associations of an object. */
  async values({ versionId, key }: StoredChange): Promise<readonly ValueChange[]> {
    const items = await this.items(versionId, key);
    return items.length === 0 ? [] : objectChange(items.map(filedItem)).values;
  }

  /** Returns the class that the attributes of an object of unknown class suggest; null for an object of known class. */
  async proposedType({ versionId, key, type }: StoredChange): Promise<string | null> {
    if (type !== UNKNOWN_CLASS) return null;
    const items = await this.items(versionId, key);
    return proposedClass(items.flatMap(({ statements }) => statementsOf(statements)));
  }

  /** Returns a page of the changes of a version, by class and name, points last. A search scans the objects of the version once. */
  async page(versionId: string, filter: ChangeFilter, page: PageRequest): Promise<ObjectChangePage> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    requireWellFormed({ type: filter.type, search: filter.search });
    const [list, values] = [listOf(filter), valuesOf(versionId, filter)];
    const { pool } = this.database;
    const listed = await inKeyOrder(pool, list, values, page, (row: StoredChange) => row);
    return withTotal(listed, () => countRows(pool, list, values));
  }
}

/** A search for the prefix of a reference alone (`#_`) stays as it is, instead of matching every object. */
function valuesOf(versionId: string, { kind, type, search }: ChangeFilter): unknown[] {
  return [versionId, kind, type, search, search === null ? null : mRIDOf(search) || search];
}
