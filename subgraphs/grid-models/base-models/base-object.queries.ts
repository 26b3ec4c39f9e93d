import type { Database } from '../../server/database/database';
import { rowsByKey } from '../../server/database/rows-by-key';
import type { StoredChange } from '../changes/object-change.queries';
import { objectChange } from '../changes/object-changes';
import { type ItemRow, filedItem } from '../difference-models/stored-item.queries';
import { type CimFile, UNKNOWN_CLASS } from '../rdf/difference-model';
import { applicableBase } from './base-model.queries';

/** What a base model says about the identity of an object. */
export interface BaseObject {
  /** Prefixed class. */
  readonly type: string;
  readonly name: string | null;
}

type BaseItemRow = Omit<ItemRow, 'number'> & {
  readonly versionId: string;
  readonly key: string;
  readonly file: CimFile;
};

/** Items of objects in the base models to which versions are applied. `offset 0` forces index lookups per object. */
const BASE_ITEMS = {
  name: 'base_items_of_changes',
  text: `select wanted.version as "versionId", wanted.key, i.file, 'forward' as section, i.mrid as "mRID", i.type, i.is_object as "isObject", i.statements
    from unnest($1::uuid[], $2::text[]) wanted (version, key)
      join project_version v on v.id = wanted.version
      join development_project p on p.id = v.project
      cross join lateral (${applicableBase('number', 'p.area', 'p.publication_year', 'p.period')}) base
      cross join lateral (select * from base_item where base = base.number and mrid_key = wanted.key offset 0) i
    order by array_position('{EQ,SC,GL}', i.file), i.number`,
};

/** Queries for the objects of base models that versions change. */
export class BaseObjectQueries {
  private readonly items: (version: string, key: string) => Promise<readonly BaseItemRow[]>;

  constructor({ reads }: Pick<Database, 'reads'>) {
    this.items = rowsByKey(reads, BASE_ITEMS, (row: BaseItemRow) => [row.versionId, row.key] as const);
  }

  /** Returns the object of a change in the base model to which its version is applied; null if no base model has it. */
  async ofChange({ versionId, key }: Pick<StoredChange, 'versionId' | 'key'>): Promise<BaseObject | null> {
    const items = await this.items(versionId, key);
    if (items.length === 0) return null;
    const { type, name } = objectChange(items.map(filedItem));
    return type === UNKNOWN_CLASS ? null : { type, name };
  }
}
