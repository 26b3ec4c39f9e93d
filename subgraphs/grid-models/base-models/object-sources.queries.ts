import type { Database } from '../../server/database/database';
import { type StoredStatements, statementsOf } from '../difference-models/stored-item.queries';
import type { CimFile, DifferenceItem, DifferenceSection } from '../rdf/difference-model';
import type { ObjectDifferences } from './applied-object';
import type { ObjectSources } from './object-after';

/** An association of the base model to an object, with the object that has it. */
export interface BaseReference {
  readonly target: string;
  readonly file: CimFile;
  readonly mRID: string;
  readonly statements: StoredStatements;
}

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
const sources = (statements: string) => `
  select found.* from unnest($3::text[]) wanted cross join lateral (
    select 'base' as section, i.mrid_key as key, i.file, i.mrid as "mRID", i.type, i.is_object as "isObject", ${statements}, i.number
    from base_item i where i.base = $1 and i.mrid_key = wanted offset 0) found
  union all
  select found.* from unnest($3::text[]) wanted cross join difference_model m cross join lateral (
    select i.section, i.mrid_key as key, m.file, i.mrid as "mRID", i.type, i.is_object as "isObject", ${statements}, i.number
    from difference_item i where i.model = m.number and i.mrid_key = wanted offset 0) found
  where m.project_version = $2
  order by number`;

const WITH_STATEMENTS = { name: 'object_sources', text: sources('i.statements') };
const WITHOUT_STATEMENTS = { name: 'object_source_heads', text: sources(`'[]'::jsonb as statements`) };

/** Items of a base model with an association to one of the objects: `$1` base model, `$2` keys, `$3` at most so many of each. */
const REFERENCES = {
  name: 'base_references',
  text: `select wanted as target, i.file, i.mrid as "mRID", i.statements from unnest($2::text[]) wanted
      cross join lateral (select file, item from base_reference where base = $1 and target_key = wanted limit $3 offset 0) r
      cross join lateral (
        select file, mrid, statements from base_item where base = $1 and file = r.file and number = r.item offset 0) i`,
};

/** References of the base model to one object that are read. */
const MAX_REFERENCES = 1_000;

/** Queries for what base models and versions contain of objects. */
export class ObjectSourceQueries {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /**
   * Returns the sources of objects by mRID in lower case. Without statements, they contain only whether objects exist.
   */
  async ofObjects(
    base: number,
    versionId: string,
    keys: readonly string[],
    withStatements: boolean,
  ): Promise<Map<string, ObjectSources>> {
    const found = new Map<
      string,
      { base: Partial<Record<CimFile, DifferenceItem[]>>; differences: MutableDifferences }
    >();
    if (keys.length === 0) return found;
    const statement = withStatements ? WITH_STATEMENTS : WITHOUT_STATEMENTS;
    const values = [base, versionId, [...new Set(keys)]];
    const { rows } = await this.database.pool.query<SourceRow>({ ...statement, values });
    for (const { section, key, file, mRID, type, isObject, statements } of rows) {
      const item: DifferenceItem = { mRID, type, isObject, statements: statementsOf(statements) };
      let object = found.get(key);
      if (object === undefined) found.set(key, (object = { base: {}, differences: {} }));
      if (section === 'base') (object.base[file] ??= []).push(item);
      else (object.differences[file] ??= { reverse: [], forward: [] })[section].push(item);
    }
    return found;
  }

  /** Returns the associations of the base model to objects. */
  async references(base: number, keys: readonly string[]): Promise<readonly BaseReference[]> {
    if (keys.length === 0) return [];
    const values = [base, keys, MAX_REFERENCES];
    return (await this.database.pool.query<BaseReference>({ ...REFERENCES, values })).rows;
  }
}

type MutableDifferences = Partial<Record<CimFile, { [Section in keyof ObjectDifferences]: DifferenceItem[] }>>;
