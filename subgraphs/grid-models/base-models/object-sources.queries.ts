import type { Database } from '../../server/database/database';
import { type StoredStatements, statementsOf } from '../difference-models/stored-item.queries';
import type { CimFile, DifferenceItem, DifferenceSection, Statement } from '../rdf/difference-model';
import type { ObjectSources } from './object-after';
import type { MutableDifferences } from './project-differences';

/** An association of the base model to an object, with the object that has it. */
interface BaseReference {
  readonly target: string;
  readonly file: CimFile;
  readonly mRID: string;
  readonly statement: Statement;
}

type ReferenceRow = Omit<BaseReference, 'statement'> & { readonly statements: StoredStatements };

interface SourceRow {
  readonly section: DifferenceSection | 'base';
  readonly key: string;
  readonly file: CimFile;
  readonly mRID: string;
  readonly type: string;
  readonly isObject: boolean;
  readonly statements: StoredStatements;
}

/** Items of objects in a base model and in a version: `$1` base model, `$2` version, `$3` keys. `offset 0` forces index lookups per object. */
const SOURCES = {
  name: 'object_sources',
  text: `
    select found.* from unnest($3::text[]) wanted cross join lateral (
      select 'base' as section, i.mrid_key as key, i.file, i.mrid as "mRID", i.type, i.is_object as "isObject", i.statements, i.number
      from base_item i where i.base = $1 and i.mrid_key = wanted offset 0) found
    union all
    select found.* from unnest($3::text[]) wanted cross join difference_model m cross join lateral (
      select i.section, i.mrid_key as key, m.file, i.mrid as "mRID", i.type, i.is_object as "isObject", i.statements, i.number
      from difference_item i where i.model = m.number and i.mrid_key = wanted offset 0) found
    where m.project_version = $2
    order by number`,
};

/**
 * Associations of the base model to one of the objects, of objects that a version does not mention: `$1` base model, `$2` version, `$3` keys,
 * `$4` at most so many items for each. The version is compared before items are counted. `offset 0` forces index lookups.
 */
const REFERENCES = {
  name: 'base_references',
  text: `select wanted as target, i.file, i.mrid as "mRID", i.statements from unnest($3::text[]) wanted
      cross join lateral (
        select i.* from (
            select file, item from base_reference where base = $1 and target_key = wanted order by file, item offset 0) r
          cross join lateral (
            select file, mrid, mrid_key, statements from base_item where base = $1 and file = r.file and number = r.item offset 0) i
          left join lateral (
            select true as is_changed from object_change where project_version = $2 and mrid_key = i.mrid_key offset 0) c on true
        where c.is_changed is null limit $4) i`,
};

/** Items with an association to one object that are read. */
const MAX_REFERENCES = 1_000;

/** Queries for what base models and versions contain of objects. */
export class ObjectSourceQueries {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** Returns the sources of objects by mRID in lower case. */
  async ofObjects(base: number, versionId: string, keys: readonly string[]): Promise<Map<string, ObjectSources>> {
    const found = new Map<
      string,
      { base: Partial<Record<CimFile, DifferenceItem[]>>; differences: MutableDifferences }
    >();
    if (keys.length === 0) return found;
    const values = [base, versionId, [...new Set(keys)]];
    const { rows } = await this.database.pool.query<SourceRow>({ ...SOURCES, values });
    for (const { section, key, file, mRID, type, isObject, statements } of rows) {
      const item: DifferenceItem = { mRID, type, isObject, statements: statementsOf(statements) };
      let object = found.get(key);
      if (object === undefined) found.set(key, (object = { base: {}, differences: {} }));
      if (section === 'base') (object.base[file] ??= []).push(item);
      else (object.differences[file] ??= { reverse: [], forward: [] })[section].push(item);
    }
    return found;
  }

  /** Returns the associations to objects, of objects of the base model that the version does not mention; of at most 1,000 items for each. */
  async references(base: number, versionId: string, keys: readonly string[]): Promise<readonly BaseReference[]> {
    if (keys.length === 0) return [];
    const values = [base, versionId, keys, MAX_REFERENCES];
    const { rows } = await this.database.pool.query<ReferenceRow>({ ...REFERENCES, values });
    return rows.flatMap(({ target, file, mRID, statements }) =>
      statementsOf(statements)
        .filter(({ kind, value }) => kind === 'association' && value.toLowerCase() === target)
        .map((statement): BaseReference => ({ target, file, mRID, statement })),
    );
  }
}
