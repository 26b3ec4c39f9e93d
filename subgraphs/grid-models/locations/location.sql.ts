import { LOCATION_ATTRIBUTES, LOCATION_CLASS, LOCATION_OF_POINT, POINT_ATTRIBUTES, POINT_CLASS } from './grid-location';
import { ITEM_COLUMNS } from '../difference-models/stored-item.queries';

/**
 * Stores the locations that the next objects of the GL model `$2` after the key `$3` describe, for version `$1` and at least `$4` objects:
 * items of class location, items with attributes of a location, and targets of points. A point without a location has that of the base model
 * `$5`; those without any are counted in `unplaced_points`. Returns the key of the last object, null at the end.
 */
export const STAGE_LOCATIONS = `
  with last as (
    select max(mrid_key) as key from (
      select mrid_key from difference_item where model = $2 and mrid_key > $3 order by mrid_key limit $4) page),
  statement as (
    select i.mrid_key, i.mrid, i.type, s ->> 0 as name, s ->> 0 = '${LOCATION_OF_POINT}' and s ->> 1 = 'association' as is_placed, s ->> 2 as value
    from difference_item i left join lateral jsonb_array_elements(i.statements) s
      on s ->> 0 like '${LOCATION_ATTRIBUTES}%' or s ->> 0 like '${POINT_ATTRIBUTES}%'
    where i.model = $2 and i.mrid_key > $3 and i.mrid_key <= (select key from last)),
  point as (
    select mrid_key, coalesce(bool_or(is_placed), false) as is_placed from statement group by mrid_key
    having coalesce(bool_or(type = '${POINT_CLASS}' or name like '${POINT_ATTRIBUTES}%'), false)),
  unplaced as (
    select known.location from point left join lateral (
      select s ->> 2 as location from base_item i, jsonb_array_elements(i.statements) s
      where i.base = $5 and i.mrid_key = point.mrid_key and i.file = 'GL' and s ->> 0 = '${LOCATION_OF_POINT}' and s ->> 1 = 'association'
      limit 1 offset 0) known on true
    where not point.is_placed),
  located as (
    select mrid_key, mrid from statement where type = '${LOCATION_CLASS}' or name like '${LOCATION_ATTRIBUTES}%'
    union all select lower(value) collate "C", value from statement where is_placed
    union all select lower(location) collate "C", location from unplaced where location is not null),
  added as (
    insert into grid_location (project_version, mrid_key, mrid, kind)
    select $1, location.mrid_key, coalesce(change.mrid, location.mrid), coalesce(change.kind, 'changed')
    from (select mrid_key, min(mrid) as mrid from located group by mrid_key) location left join lateral (
      select mrid, kind from object_change where project_version = $1 and mrid_key = location.mrid_key offset 0) change on true
    on conflict do nothing),
  counted as (
    update project_version set unplaced_points = unplaced_points + (select count(*) from unplaced where location is null)
    where id = $1 and (select key from last) is not null)
  select key as next from last`;

/** A page of the locations of a version: `$1` version, `$2` key after which the page starts, `$3` page size. */
export const LOCATIONS = {
  name: 'locations',
  text: `select mrid as "mRID", mrid_key as key, kind from grid_location where project_version = $1 and mrid_key > $2
    order by mrid_key limit $3`,
};

const MODEL = "(select number from difference_model where project_version = $1 and file = 'GL')";

const ITEM = `select ${ITEM_COLUMNS} from difference_item i`;

/** Items of objects in the GL file. `offset 0` forces an index lookup per object: the columns have no statistics (see migration 0001). */
export const ITEMS_OF_OBJECTS = {
  name: 'location_items',
  text: `select found.* from unnest($2::text[]) wanted cross join lateral (
      ${ITEM} where i.model = ${MODEL} and i.mrid_key = lower(wanted) offset 0) found
    order by found.number`,
};

/** Items of the GL file that associate a point with one of the locations. */
export const POINTS_OF_LOCATIONS = {
  name: 'location_points',
  text: `select distinct on (found.number) found.* from unnest($2::text[]) wanted cross join lateral (
      select model, item from item_statement
      where model = ${MODEL} and statement_hash = hashtext('${LOCATION_OF_POINT} ' || statement_key(wanted)) offset 0) s
    cross join lateral (${ITEM} where i.model = s.model and i.number = s.item offset 0) found order by found.number`,
};

/** Class and name of objects: `$1` version, `$2` mRIDs. */
export const NAMED_OBJECTS = {
  name: 'named_objects',
  text: `select found.* from unnest($2::text[]) wanted cross join lateral (
      select mrid_key as key, type, name from object_change
      where project_version = $1 and mrid_key = lower(wanted) offset 0) found`,
};

/** Points that a base model places at locations and that a version mentions: `$1` base model, `$2` version, `$3` keys of locations. */
export const CHANGED_POINTS_OF_BASE = {
  name: 'changed_points_of_base',
  text: `select distinct i.mrid_key as key from unnest($3::text[]) wanted
    cross join lateral (
      select item from base_reference where base = $1 and target_key = wanted and file = 'GL' offset 0) r
    cross join lateral (
      select mrid_key, type from base_item where base = $1 and file = 'GL' and number = r.item offset 0) i
    cross join lateral (
      select from object_change where project_version = $2 and mrid_key = i.mrid_key offset 0) c
    where i.type = '${POINT_CLASS}'`,
};
