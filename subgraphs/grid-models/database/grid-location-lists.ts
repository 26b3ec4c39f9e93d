import { type Connection, type PageRequest, connectionOf, requirePageSize } from '../../server/connection';
import type { Database } from '../../server/database';
import {
  COORDINATE_REFERENCE,
  type GridPoint,
  LOCATION_CLASS,
  LOCATION_OF_POINT,
  type LocatedPoints,
  type SectionItem,
  locatedPoints,
  targetOf,
} from '../domain/grid-location';
import type { ObjectChangeKind } from '../domain/object-changes';
import { type CountedConnection, counted } from './counted-connection';
import { textCursor, textPosition } from './list-cursor';
import { ITEM_COLUMNS, type ItemRow, filedItem } from './stored-item';

/** A location of a version, with what is there. */
export interface GridLocation {
  readonly mRID: string;
  readonly kind: ObjectChangeKind;
  /** mRID of the located power system resource. */
  readonly object: string | null;
  readonly objectType: string | null;
  readonly objectName: string | null;
  /** URN of the coordinate system, where the version says it, else its mRID. */
  readonly coordinateSystem: string | null;
  readonly points: readonly GridPoint[];
}

/** Locations of a page at most: a plot wants many. */
export const MOST_LOCATIONS = 5_000;

interface LocationRow {
  readonly mRID: string;
  readonly key: string;
  readonly kind: ObjectChangeKind;
}

const KINDS = `unnest('{added,removed,changed}'::text[]) of_kind`;

/** The index of a class is ordered by kind first: the page is the beginning of three lists. */
const PAGE = {
  name: 'locations',
  text: `select location.* from ${KINDS} cross join lateral (
      select mrid as "mRID", mrid_key as key, kind from object_change
      where project_version = $1 and type = '${LOCATION_CLASS}' and kind = of_kind and mrid_key > $2
      order by mrid_key limit $3) location
    order by location.key limit $3`,
};

const COUNT = {
  name: 'count_locations',
  text: `select count(*) as total from object_change where project_version = $1 and type = '${LOCATION_CLASS}'`,
};

const MODEL = "(select number from difference_model where project_version = $1 and file = 'GL')";

/** Each is looked for by itself: without statistics the planner would rather read the whole file. */
const ITEMS_OF = {
  name: 'location_items',
  text: `select found.* from unnest($2::text[]) wanted cross join lateral (
      select ${ITEM_COLUMNS} from difference_item i where i.model = ${MODEL} and i.mrid_key = lower(wanted) offset 0) found
    order by found.number`,
};

const POINTS_OF = {
  name: 'location_points',
  text: `select distinct on (i.number) ${ITEM_COLUMNS} from unnest($2::text[]) wanted cross join lateral (
      select model, item from item_statement
      where model = ${MODEL} and statement_hash = hashtext('${LOCATION_OF_POINT} ' || wanted) offset 0) s
    join difference_item i on i.model = s.model and i.number = s.item order by i.number`,
};

const OBJECTS = {
  name: 'located_objects',
  text: `select found.* from unnest($2::text[]) wanted cross join lateral (
      select mrid_key as key, type, name from object_change
      where project_version = $1 and mrid_key = lower(wanted) offset 0) found`,
};

/** The locations of a version: those that its GL file adds, removes or changes. */
export class GridLocationLists {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** A page of locations, in the order of mRIDs: a few statements, however many there are. */
  async page(versionId: string, page: PageRequest): Promise<CountedConnection<GridLocation>> {
    requirePageSize(page.first, MOST_LOCATIONS);
    const values = [versionId, textPosition(page.after), page.first + 1];
    const { rows } = await this.database.pool.query<LocationRow>({ ...PAGE, values });
    const located = await this.located(versionId, rows);
    const listed: Connection<GridLocation> = connectionOf(
      rows,
      page,
      ({ key }) => textCursor(key),
      ({ key }) => located.get(key) as GridLocation,
    );
    return counted(listed, () => this.count(versionId));
  }

  private async located(versionId: string, rows: readonly LocationRow[]): Promise<Map<string, GridLocation>> {
    if (rows.length === 0) return new Map();
    const [items, points] = await Promise.all([
      this.items(
        ITEMS_OF,
        versionId,
        rows.map(({ key }) => key),
      ),
      this.items(POINTS_OF, versionId, distinct(rows.flatMap(({ mRID, key }) => [mRID, key]))),
    ]);
    const itemsOf = byKey(items, ({ item }) => item.mRID);
    const pointsOf = byKey(points, ({ item }) => targetOf(item.statements, LOCATION_OF_POINT) ?? '');
    const found = rows.map(({ key, mRID, kind }) => ({
      ...{ key, mRID, kind },
      ...locatedPoints(kind, itemsOf.get(key) ?? [], pointsOf.get(key) ?? []),
    }));
    const [systems, objects] = await Promise.all([this.systems(versionId, found), this.objects(versionId, found)]);
    return new Map(
      found.map(({ key, ...location }) => {
        const { type: objectType = null, name: objectName = null } = objects.get(lower(location.object)) ?? {};
        const coordinateSystem = systems.get(lower(location.coordinateSystem)) ?? location.coordinateSystem;
        return [key, { ...location, objectType, objectName, coordinateSystem }];
      }),
    );
  }

  /** What coordinate systems are called, as far as the file says it. */
  private async systems(versionId: string, found: readonly LocatedPoints[]): Promise<Map<string, string>> {
    const wanted = distinct(found.flatMap(({ coordinateSystem }) => coordinateSystem?.toLowerCase() ?? []));
    const items = await this.items(ITEMS_OF, versionId, wanted);
    return new Map(
      items.flatMap(({ item }): [string, string][] => {
        const urn = targetOf(item.statements, COORDINATE_REFERENCE);
        return urn === undefined ? [] : [[item.mRID.toLowerCase(), urn]];
      }),
    );
  }

  /** Class and name of what is there. */
  private async objects(versionId: string, found: readonly LocatedPoints[]) {
    type ObjectRow = { key: string; type: string; name: string | null };
    const wanted = distinct(found.flatMap(({ object }) => object?.toLowerCase() ?? []));
    const { rows } = await this.database.pool.query<ObjectRow>({ ...OBJECTS, values: [versionId, wanted] });
    return new Map(rows.map((row) => [row.key, row]));
  }

  private async items(statement: typeof ITEMS_OF, versionId: string, wanted: readonly string[]) {
    const { rows } = await this.database.pool.query<ItemRow>({ ...statement, values: [versionId, wanted] });
    return rows.map((row): SectionItem => filedItem({ ...row, file: 'GL' }));
  }

  private async count(versionId: string): Promise<number> {
    const { rows } = await this.database.pool.query<{ total: string }>({ ...COUNT, values: [versionId] });
    return Number(rows[0]?.total);
  }
}

const lower = (mRID: string | null) => mRID?.toLowerCase() ?? '';

const distinct = (texts: readonly string[]) => [...new Set(texts)];

function byKey(items: readonly SectionItem[], mridOf: (item: SectionItem) => string): Map<string, SectionItem[]> {
  const found = new Map<string, SectionItem[]>();
  for (const item of items) {
    const key = mridOf(item).toLowerCase();
    const others = found.get(key);
    if (others) others.push(item);
    else found.set(key, [item]);
  }
  return found;
}
