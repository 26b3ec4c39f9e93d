import {
  type Connection,
  type ConnectionWithTotal,
  type PageRequest,
  connectionOf,
  withTotal,
  requirePageSize,
} from '../../server/lists/connection';
import type { Database } from '../../server/database/database';
import {
  COORDINATE_REFERENCE,
  LOCATION_OF_POINT,
  type LocatedPoints,
  type SectionItem,
  locatedPoints,
  targetOf,
} from './grid-location';
import { BaseLocationQueries, type NamedObject } from './base-location.queries';
import { type DifferenceItem, UNKNOWN_CLASS } from '../rdf/difference-model';
import type { ObjectChangeKind } from '../changes/object-changes';
import { textCursor, textPosition } from '../../server/lists/list-cursor';
import { countRows } from '../../server/lists/paged-list';
import { ITEMS_OF_OBJECTS, LOCATIONS, NAMED_OBJECTS, POINTS_OF_LOCATIONS } from './location.sql';
import { type ItemRow, filedItem } from '../difference-models/stored-item.queries';

/** A location of a version, with the object at it. */
export interface GridLocation extends LocatedPoints {
  readonly mRID: string;
  readonly kind: ObjectChangeKind;
  readonly name: string | null;
  readonly objectType: string | null;
  readonly objectName: string | null;
  readonly changedObject: string | null;
}

/** Locations in a page: more than other lists allow, because maps plot many. */
const MAX_LOCATION_PAGE_SIZE = 5_000;

/** A version, and the short key of its base model; null if none is published. */
interface LocatedVersion {
  readonly versionId: string;
  readonly base: number | null;
}

interface LocationRow {
  readonly mRID: string;
  readonly key: string;
  readonly kind: ObjectChangeKind;
}

const OF_VERSION = { name: 'locations', from: 'grid_location', where: 'project_version = $1' };

/** Queries for the locations of a version: locations that items of its GL file describe, or whose points they describe. */
export class GridLocationQueries {
  private readonly bases: BaseLocationQueries;

  constructor(private readonly database: Pick<Database, 'pool'>) {
    this.bases = new BaseLocationQueries(database);
  }

  /**
   * Returns a page of locations, ordered by mRID, with a constant number of statements. What the version does not state of a location or a
   * point is that of the base model, if there is one.
   */
  async page({ versionId, base }: LocatedVersion, page: PageRequest): Promise<ConnectionWithTotal<GridLocation>> {
    requirePageSize(page.first, MAX_LOCATION_PAGE_SIZE);
    const values = [versionId, textPosition(page.after), page.first + 1];
    const { rows } = await this.database.pool.query<LocationRow>({ ...LOCATIONS, values });
    const located = await this.located({ versionId, base }, rows);
    const listed: Connection<GridLocation> = connectionOf(
      rows,
      page,
      ({ key }) => textCursor(key),
      ({ key }) => located.get(key) as GridLocation,
    );
    return withTotal(listed, () => countRows(this.database.pool, OF_VERSION, [versionId]));
  }

  private async located(version: LocatedVersion, rows: readonly LocationRow[]): Promise<Map<string, GridLocation>> {
    if (rows.length === 0) return new Map();
    const { versionId, base } = version;
    const keys = rows.map(({ key }) => key);
    const [items, whole, pointsOf] = await Promise.all([
      this.items(ITEMS_OF_OBJECTS, versionId, keys),
      this.bases.wholeItems(base, versionId, keys),
      this.points(version, keys),
    ]);
    const itemsOf = new Map([...byKey(items, ({ item }) => item.mRID), ...whole]);
    const found = rows.map(({ key, mRID, kind }) => ({
      ...{ key, mRID, kind },
      ...locatedPoints(kind, itemsOf.get(key) ?? [], pointsOf.get(key) ?? []),
    }));
    const [systems, { named, changed }] = await Promise.all([
      this.systems(version, found),
      this.objects(version, found),
    ]);
    return new Map(
      found.map(({ key, ...location }) => {
        const { type: objectType = null, name: objectName = null } = named.get(lower(location.object)) ?? {};
        const coordinateSystem = systems.get(lower(location.coordinateSystem)) ?? location.coordinateSystem;
        const name = named.get(key)?.name ?? null;
        const changedObject = [location.object, location.mRID].find((mRID) => changed.has(lower(mRID))) ?? null;
        return [key, { ...location, name, objectType, objectName, changedObject, coordinateSystem }];
      }),
    );
  }

  /**
   * Returns the points of locations by location. Items of a point without an association to a location belong to that of its other items.
   * Points of the base model are whole, before and after the version.
   */
  private async points(
    { versionId, base }: LocatedVersion,
    keys: readonly string[],
  ): Promise<Map<string, SectionItem[]>> {
    const placed = await this.items(POINTS_OF_LOCATIONS, versionId, keys);
    const locationOf = new Map(placed.map(({ item }) => [lower(item.mRID), locationIn(item)]));
    const changed = distinct(placed.filter(({ item }) => !item.isObject).map(({ item }) => lower(item.mRID)));
    const moved = await this.bases.changedPoints(base, versionId, keys);
    const whole = await this.bases.wholeItems(base, versionId, distinct([...locationOf.keys(), ...moved]));
    const others = await this.items(ITEMS_OF_OBJECTS, versionId, changed);
    const stated = [...placed, ...others.filter(({ item }) => locationIn(item) === undefined)];
    return byKey(
      [...stated.filter(({ item }) => !whole.has(lower(item.mRID))), ...[...whole.values()].flat()],
      ({ item }) => locationIn(item) ?? locationOf.get(lower(item.mRID)) ?? '',
    );
  }

  /** Returns the URNs of coordinate systems that the GL file or the base model defines, by mRID. */
  private async systems(
    { versionId, base }: LocatedVersion,
    found: readonly LocatedPoints[],
  ): Promise<Map<string, string>> {
    const wanted = distinct(found.flatMap(({ coordinateSystem }) => coordinateSystem?.toLowerCase() ?? []));
    const [items, whole] = await Promise.all([
      this.items(ITEMS_OF_OBJECTS, versionId, wanted),
      this.bases.wholeItems(base, versionId, wanted),
    ]);
    return new Map(
      [...[...whole.values()].flat(), ...items].flatMap(({ item }): [string, string][] => {
        const urn = targetOf(item.statements, COORDINATE_REFERENCE);
        return urn === undefined ? [] : [[item.mRID.toLowerCase(), urn]];
      }),
    );
  }

  /**
   * Returns class and name of locations and of the objects at them, those of the base model where the version states none, and the keys of
   * those that the version changes.
   */
  private async objects({ versionId, base }: LocatedVersion, found: readonly (LocationRow & LocatedPoints)[]) {
    const wanted = distinct(found.flatMap(({ key, object }) => (object === null ? [key] : [key, lower(object)])));
    const { rows } = await this.database.pool.query<NamedObject>({ ...NAMED_OBJECTS, values: [versionId, wanted] });
    const whole = new Set(
      rows.filter(({ type, name }) => type !== UNKNOWN_CLASS && name !== null).map(({ key }) => key),
    );
    const others = wanted.filter((key) => !whole.has(key));
    const named = new Map((await this.bases.named(base, versionId, others)).map((each) => [each.key, each]));
    for (const { key, type, name } of rows) {
      const before = named.get(key);
      const known = type === UNKNOWN_CLASS ? (before?.type ?? type) : type;
      named.set(key, { key, type: known, name: name ?? before?.name ?? null });
    }
    return { named, changed: new Set(rows.map(({ key }) => key)) };
  }

  private async items(statement: typeof ITEMS_OF_OBJECTS, versionId: string, wanted: readonly string[]) {
    if (wanted.length === 0) return [];
    const { rows } = await this.database.pool.query<ItemRow>({ ...statement, values: [versionId, wanted] });
    return rows.map((row): SectionItem => filedItem({ ...row, file: 'GL' }));
  }
}

const locationIn = ({ statements }: DifferenceItem) => targetOf(statements, LOCATION_OF_POINT);

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
