import type { Database } from '../../server/database/database';
import { appliedObject } from '../base-models/applied-object';
import { ObjectSourceQueries } from '../base-models/object-sources.queries';
import { NAME_ATTRIBUTE, lastText } from '../changes/object-changes';
import { CIM_FILES, UNKNOWN_CLASS } from '../rdf/difference-model';
import type { SectionItem } from './grid-location';
import { CHANGED_POINTS_OF_BASE } from './location.sql';

/** Class and name of an object, by its mRID in lower case. */
export interface NamedObject {
  readonly key: string;
  readonly type: string;
  readonly name: string | null;
}

/** Queries for what a base model contains of the locations of a version. Without a base model (null) it is nothing. */
export class BaseLocationQueries {
  private readonly sources: ObjectSourceQueries;

  constructor(private readonly database: Pick<Database, 'pool'>) {
    this.sources = new ObjectSourceQueries(database);
  }

  /** Returns the points that the base model places at locations and that the version mentions, as mRIDs in lower case. */
  async changedPoints(base: number | null, versionId: string, locations: readonly string[]): Promise<string[]> {
    if (base === null) return [];
    const values = [base, versionId, locations];
    const { rows } = await this.database.pool.query<{ key: string }>({ ...CHANGED_POINTS_OF_BASE, values });
    return rows.map(({ key }) => key);
  }

  /** Returns the GL items of objects of the base model as a whole: before the version (`reverse`) and after it (`forward`, unless removed). */
  async wholeItems(
    base: number | null,
    versionId: string,
    keys: readonly string[],
  ): Promise<Map<string, SectionItem[]>> {
    const found = new Map<string, SectionItem[]>();
    if (base === null) return found;
    for (const [key, sources] of await this.sources.ofObjects(base, versionId, keys)) {
      const [first, ...others] = sources.base.GL ?? [];
      if (first === undefined) continue;
      const before = { ...first, statements: [first, ...others].flatMap(({ statements }) => statements) };
      const { type, statements } = appliedObject('GL', [first, ...others], sources.differences.GL);
      const after = { ...first, type: type ?? UNKNOWN_CLASS, statements };
      found.set(key, [
        { section: 'reverse', item: before },
        ...(type === null && statements.length === 0 ? [] : [{ section: 'forward', item: after } as const]),
      ]);
    }
    return found;
  }

  /** Returns class and name of objects of the base model. */
  async named(base: number | null, versionId: string, keys: readonly string[]): Promise<NamedObject[]> {
    if (base === null) return [];
    return [...(await this.sources.ofObjects(base, versionId, keys))].flatMap(([key, sources]) => {
      const items = CIM_FILES.flatMap((file) => sources.base[file] ?? []);
      const type = items.find((item) => item.type !== UNKNOWN_CLASS)?.type;
      const name =
        lastText(
          items.flatMap(({ statements }) => statements),
          NAME_ATTRIBUTE,
        ) ?? null;
      return type === undefined ? [] : [{ key, type, name }];
    });
  }
}
