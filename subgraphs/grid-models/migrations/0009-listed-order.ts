import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '../../server/database/forward-migration';
import { proposedClass } from '../changes/proposed-class';

/** Fills the listed class of objects of published versions, and creates the indexes of the lists. */
export class ListedOrder1790000000009 extends ForwardMigration {
  readonly statements = [INDEXES];

  override async up(session: QueryRunner): Promise<void> {
    await session.query('set local search_path = grid_models, register');
    await fillListedTypes(session);
    await super.up(session);
  }
}

/** An object whose class no file states. */
interface UnlistedObject {
  readonly version: string;
  readonly key: string;
  readonly baseType: string | null;
  /** Names of its attributes and associations. */
  readonly names: readonly string[];
}

/**
 * Stores the listed class of objects of unknown class, page by page. Publications wait until the end, reads do not. The names of statements
 * suggest the same class as at a publication.
 */
export async function fillListedTypes(session: Pick<QueryRunner, 'query'>): Promise<void> {
  await session.query('alter table object_change disable trigger never_changed');
  let last: Pick<UnlistedObject, 'version' | 'key'> | undefined = {
    version: '00000000-0000-0000-0000-000000000000',
    key: '',
  };
  while (last !== undefined) {
    const page: UnlistedObject[] = await session.query(UNLISTED, [last.version, last.key]);
    const listed = page
      .map(({ version, key, baseType, names }) => ({
        ...{ version, key },
        type: baseType ?? proposedClass(names.map((name) => ({ name }))),
      }))
      .filter(({ type }) => type !== null);
    if (listed.length > 0) await session.query(FILL, [JSON.stringify(listed)]);
    last = page.at(-1);
  }
  await session.query('alter table object_change enable trigger never_changed');
}

/**
 * The next objects of unknown class after a key, with their class in the base model that applied when their version was published.
 * `offset 0` forces index lookups per object: the columns have no statistics (see migration 0001).
 */
const UNLISTED = `
  select c.project_version as version, c.mrid_key as key, base.type as "baseType",
    array(select distinct statement ->> 0 from difference_model m
      cross join lateral (select statements from difference_item where model = m.number and mrid_key = c.mrid_key offset 0) i,
      jsonb_array_elements(i.statements) statement where m.project_version = c.project_version) as names
  from (select * from object_change
      where type = 'rdf:Description' and listed_type is null and (project_version, mrid_key) > ($1::uuid, $2)
      order by project_version, mrid_key limit 2000) c
    left join project_version v on v.id = c.project_version
    left join development_project p on p.id = v.project
    left join lateral (
      select number from base_model b where b.area = p.area and b.version is not null and b.published_at <= v.published_at
        and (b.publication_year, b.period) <= (p.publication_year, p.period)
      order by b.publication_year desc, b.period desc, b.version desc limit 1 offset 0) applied on true
    left join lateral (
      select type from base_item where base = applied.number and mrid_key = c.mrid_key and type <> 'rdf:Description'
      order by not is_object, array_position('{EQ,SC,GL}', file), number limit 1 offset 0) base on true
  order by c.project_version, c.mrid_key`;

const FILL = `
  update object_change c set listed_type = filled.type
  from jsonb_to_recordset($1::jsonb) as filled (version uuid, key text, type text)
  where c.project_version = filled.version and c.mrid_key = filled.key collate "C"`;

/** The lists of migration 0003, by the listed class where no file states one; `object_change_class` serves the counts by class. */
const INDEXES = `
  create index object_change_listed
    on object_change (project_version, (list_key(coalesce(listed_type, type), name) collate "C"), mrid_key);
  create index object_change_listed_by_kind
    on object_change (project_version, kind, (list_key(coalesce(listed_type, type), name) collate "C"), mrid_key);
  create index object_change_class on object_change (project_version, type, listed_type, kind);
  alter index object_change_listed alter column 2 set statistics 0;
  alter index object_change_listed_by_kind alter column 3 set statistics 0`;
