import { ForwardMigration } from '../../server/database/forward-migration';

/** Creates the indexes by which the changed objects of a version are listed: by class and name, points last. */
export class ObjectOrder1790000000003 extends ForwardMigration {
  readonly statements = ['set local search_path = grid_models, register', KEYS, INDEXES];
}

/** Classes whose objects are points of another object: a file has hundreds of them for each object that a reader looks for. */
const POINTS = [
  ...['DiagramObjectPoint', 'DiagramObjectGluePoint', 'PositionPoint', 'CurveData', 'NonlinearShuntCompensatorPoint'],
  ...['RatioTapChangerTablePoint', 'PhaseTapChangerTablePoint', 'RegularTimePoint', 'IrregularTimePoint'],
].map((name) => `cim:${name}`);

/**
 * Sort keys, compared byte by byte. Objects of unknown class follow those of known classes, points follow both. Within a class, named objects
 * precede unnamed ones. The control characters cannot occur in a class or a name: XML 1.0 excludes them. 100 characters of the name keep the
 * entry of the index below the limit of PostgreSQL.
 */
const KEYS = `
  create function class_key(type text) returns text language sql immutable parallel safe return
    case when type = any ('{${POINTS.join(',')}}'::text[]) then '2' when type = 'rdf:Description' then '1' else '0' end || type;
  create function list_key(type text, name text) returns text language sql immutable parallel safe return
    class_key(type) || case when name is null then E'\\x02' else E'\\x01' || left(lower(name collate "C"), 100) end`;

/** The planner has no statistics of these columns, as of the others of the table (see migration 0001). */
const INDEXES = `
  create index object_change_listed on object_change (project_version, (list_key(type, name) collate "C"), mrid_key);
  create index object_change_listed_by_kind on object_change (project_version, kind, (list_key(type, name) collate "C"), mrid_key);
  alter index object_change_listed alter column 2 set statistics 0;
  alter index object_change_listed_by_kind alter column 3 set statistics 0;
  drop index object_change_kind`;
