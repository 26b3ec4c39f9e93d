import type { Database } from '../../server/database/database';
import { type Connection, type PageRequest, requirePageSize } from '../../server/lists/connection';
import { MAX_WAIT_MS, fairLimit } from '../../server/fair-limit';
import { inSlices } from '../../server/in-slices';
import { textCursor, textPosition } from '../../server/lists/list-cursor';
import { MAX_PAGE_SIZE } from '../projects/development-project.queries';
import { mRIDOf } from '../rdf/rdf-resources';
import type { Finding } from './applied-object';
import type { StoredBaseModel } from './base-model';
import { NOTHING, type ObjectAfter, afterOf, declaringFiles, existsIn, targetsOf } from './object-after';
import { ObjectSourceQueries } from './object-sources.queries';
import { isDeleted } from './project-differences';

/** Maximum changed objects that one request for findings examines, and that one statement reads. */
const MAX_EXAMINED = 2_000;
const EXAMINED_AT_ONCE = 200;
/** Maximum requests for findings that a process executes at once: each reads as many rows as a small upload. */
const MAX_EXAMINATIONS = 2;

const CHANGED_KEYS = {
  name: 'keys_of_changes',
  text: 'select mrid_key as key from object_change where project_version = $1 and mrid_key > $2 order by mrid_key limit $3',
};

/** Applies published versions to base models, object by object. Reads only these objects and those to which they refer. */
export class AfterProjectQueries {
  private readonly sources: ObjectSourceQueries;
  private readonly limited = fairLimit({ max: MAX_EXAMINATIONS, maxOfOwner: 1, maxWaitMs: MAX_WAIT_MS });

  constructor(private readonly database: Pick<Database, 'pool'>) {
    this.sources = new ObjectSourceQueries(database);
  }

  /**
   * Returns objects after a version, each once, in the order of the mRIDs, which may be written as references. Those that
   * neither the base model nor the version has are missing.
   */
  async named(base: StoredBaseModel, versionId: string, mRIDs: readonly string[]): Promise<ObjectAfter[]> {
    const keys = mRIDs.map((mRID) => [mRID.toLowerCase(), mRIDOf(mRID).toLowerCase()]);
    const found = await this.objects(base, versionId, [...new Set(keys.flat())]);
    const objects = keys.flatMap((ofOne) => ofOne.map((key) => found.get(key)).find((object) => object) ?? []);
    return [...new Set(objects)];
  }

  /**
   * Returns the next changed objects of a version that do not fit the base model, by mRID. Examines at most 2,000 objects, so that a page can
   * have fewer objects than requested although others follow. The requests of an owner are executed one after the other, so that it does not
   * delay those of another. Throws SYS002 after three seconds of waiting.
   */
  unfitting(
    base: StoredBaseModel,
    versionId: string,
    page: PageRequest,
    owner: string,
  ): Promise<Connection<ObjectAfter>> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    return this.limited(owner, () => this.examine(base, versionId, page));
  }

  private async examine(base: StoredBaseModel, versionId: string, page: PageRequest): Promise<Connection<ObjectAfter>> {
    const found: FoundObject[] = [];
    let end: string | null = textPosition(page.after);
    for (let examined = 0; end !== null && examined < MAX_EXAMINED; examined += EXAMINED_AT_ONCE) {
      const keys: string[] = await this.changedKeys(versionId, end);
      for (const [key, object] of await this.objects(base, versionId, keys)) {
        if (object.findings.length === 0) continue;
        if (found.length === page.first) return pageOf(found, page, (found.at(-1) as FoundObject).key);
        found.push({ ...object, key });
      }
      end = keys.length < EXAMINED_AT_ONCE ? null : (keys.at(-1) as string);
    }
    if (end !== null && (await this.changedKeys(versionId, end)).length === 0) end = null;
    return pageOf(found, page, end);
  }

  private async changedKeys(versionId: string, after: string): Promise<string[]> {
    const values = [versionId, after, EXAMINED_AT_ONCE];
    const { rows } = await this.database.pool.query<{ key: string }>({ ...CHANGED_KEYS, values });
    return rows.map(({ key }) => key);
  }

  /** Returns objects after a version, by mRID in lower case, in the order of the keys. Unknown objects are missing. */
  private async objects(
    base: StoredBaseModel,
    versionId: string,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, ObjectAfter>> {
    const sources = await this.sources.ofObjects(base.number, versionId, keys);
    const deleted = [...sources].filter(([, { differences }]) => isDeleted(differences)).map(([key]) => key);
    const references = await this.sources.references(base.number, versionId, deleted);
    const targets = [...sources.values()].flatMap(targetsOf);
    const related = await this.sources.ofObjects(base.number, versionId, targets);
    const sourceOf = (key: string) => related.get(key) ?? sources.get(key) ?? NOTHING;
    const exists = memoized((key) => existsIn(sourceOf(key)));
    const existed = memoized((key) => declaringFiles(sourceOf(key)).size > 0);
    const results = new Map<string, ObjectAfter>();
    await inSlices(keys, (key) => {
      const own = sources.get(key);
      if (own === undefined) return;
      const after = afterOf(own, exists, existed);
      const left = references
        .filter(({ target }) => target === key && after.existed && !after.exists)
        .map(({ file, mRID, statement }): Finding => ({ kind: 'dangling-association', file, mRID, statement }));
      results.set(key, { ...after, findings: [...after.findings, ...left] });
    });
    return results;
  }
}

/** Returns a function that computes each value once. */
function memoized<Value>(compute: (key: string) => Value): (key: string) => Value {
  const values = new Map<string, Value>();
  return (key) => {
    let value = values.get(key);
    if (value === undefined) values.set(key, (value = compute(key)));
    return value;
  };
}

/** A changed object with findings, and its key in lists. */
type FoundObject = ObjectAfter & { readonly key: string };

/** Returns the page of these objects; `end`: the key up to which the list was read, null at its end. */
function pageOf(found: readonly FoundObject[], page: PageRequest, end: string | null): Connection<ObjectAfter> {
  const endCursor = end === null ? null : textCursor(end);
  const edges = found.map(({ key, ...node }) => ({ cursor: textCursor(key), node }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    nextCursor: endCursor,
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: endCursor ?? edges.at(-1)?.cursor ?? null,
      hasPreviousPage: page.after !== null,
      hasNextPage: endCursor !== null,
    },
  };
}
