import { type Connection, type PageRequest, connectionOf, requirePageSize } from '../../server/lists/connection';
import { textCursor, textPositions } from '../../server/lists/list-cursor';
import type { Database } from '../../server/database/database';
import type { CimFile } from '../rdf/difference-model';
import { MAX_PAGE_SIZE } from '../projects/development-project.queries';
import type { StoredChange } from './object-change.queries';

/** An association of an object of a version that refers to another one. */
export interface ObjectReference {
  /** Prefixed name of the association. */
  readonly name: string;
  readonly file: CimFile;
  /** The object that refers. */
  readonly source: StoredChange;
  /** Whether the version deletes and adds this association. A version that replaces an object does both. */
  readonly isDeleted: boolean;
  readonly isAdded: boolean;
}

type ReferenceRow = Omit<ObjectReference, 'source'> &
  Omit<StoredChange, 'name'> & { readonly objectName: string | null };

/**
 * References to the object `$2` in the version `$1`, after the association `$3`, file `$4` and source `$5`, at most `$6`. The index of
 * statements is searched by the hash of name and value, so the names of a model come first, by skipping through the index of names. A hash
 * can collide: the statements decide.
 */
const REFERENCES = {
  name: 'object_references',
  text: `with recursive name (model, file, name) as (
      select m.number, m.file, (select min(s.name) from item_statement s where s.model = m.number) from difference_model m
        where m.project_version = $1
      union all
      select n.model, n.file, (select s.name from item_statement s where s.model = n.model and s.name > n.name order by s.name limit 1)
        from name n where n.name is not null),
    reference as (
      select n.name, n.file, i.mrid_key, i.section
      from name n cross join lateral (
          select item from item_statement where model = n.model and statement_hash = hashtext(n.name || ' ' || statement_key($2))
            and name = n.name offset 0) s
        cross join lateral (
          select mrid_key, section, statements from difference_item where model = n.model and number = s.item offset 0) i
      where exists (
        select from jsonb_array_elements(i.statements) e
        where e ->> 0 = n.name and e ->> 1 = 'association' and lower(e ->> 2) = $2)),
    page as (
      select name, file, mrid_key, bool_or(section = 'reverse') as "isDeleted", bool_or(section = 'forward') as "isAdded"
      from reference where (name collate "C", file collate "C", mrid_key) > ($3, $4, $5)
      group by name, file, mrid_key order by name collate "C", file collate "C", mrid_key limit $6)
    select page.name, page.file, page."isDeleted", page."isAdded", c.project_version as "versionId", c.mrid_key as key, c.mrid as "mRID",
      c.type, c.kind, c.name as "objectName", c.files
    from page cross join lateral (
      select * from object_change where project_version = $1 and mrid_key = page.mrid_key offset 0) c
    order by page.name collate "C", page.file collate "C", page.mrid_key`,
};

/** Queries for the references of the objects of a version to each other. */
export class ObjectReferenceQueries {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** Returns a page of the references to an object, by association. Reads every reference to it. */
  async page({ versionId, key }: StoredChange, page: PageRequest): Promise<Connection<ObjectReference>> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    const values = [versionId, key, ...textPositions(page.after, 3), page.first + 1];
    const { rows } = await this.database.pool.query<ReferenceRow>({ ...REFERENCES, values });
    return connectionOf(rows.map(referenceOf), page, cursorOf);
  }
}

function referenceOf({ name, file, isDeleted, isAdded, objectName, ...source }: ReferenceRow): ObjectReference {
  return { name, file, isDeleted, isAdded, source: { ...source, name: objectName } };
}

const cursorOf = ({ name, file, source }: ObjectReference) => textCursor(name, file, source.key);
