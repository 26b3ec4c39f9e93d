import type { Database } from '../../server/database';
import type { DifferenceModelHeader } from '../domain/difference-model';
import { IS_PUBLISHED, MODEL_COLUMNS, type StoredModel } from './difference-model-lists';
import { rowsByKey } from '../../server/rows-by-key';
import { requireStorable } from './storable-arguments';

/** A model in a chain of dependencies. */
export interface DependencyStep {
  /** How many dependencies away, from 1. */
  readonly depth: number;
  readonly mRID: string;
}

type FoundModel = StoredModel & { readonly wanted: string };

/** Models of a list, and steps of a chain, at most. */
const MOST = 100;

const WITH_MRID = {
  name: 'models_with_mrid',
  text: `select wanted, found.* from unnest($1::text[]) wanted cross join lateral (
      select ${MODEL_COLUMNS} from difference_model m where m.mrid_key = lower(wanted) and ${IS_PUBLISHED}
      order by m.number desc limit ${MOST}) found
    order by found.number desc`,
};

const DEPENDENTS = {
  name: 'dependent_models',
  text: `select wanted, found.* from unnest($1::text[]) wanted cross join lateral (
      select ${MODEL_COLUMNS} from model_dependency d join difference_model m on m.number = d.model
      where d.mrid_key = lower(wanted) and ${IS_PUBLISHED} order by d.model desc limit ${MOST}) found
    order by found.number desc`,
};

/**
 * One row for each depth: the mRIDs there, of models that no smaller depth has, so that cycles end. Of a model that is published more
 * than once, the newest says what it depends on.
 */
const CHAIN = {
  name: 'dependency_chain',
  text: `with recursive level (depth, mrids, seen) as (
      select 0, $1::text[], array[lower($2::text)]
      union all
      select depth + 1, next.mrids, seen || keys from level,
        lateral (select coalesce(array_agg(distinct lower(mrid)), '{}') as keys from unnest(mrids) mrid
          where lower(mrid) <> all(seen)) fresh,
        lateral (select coalesce(array_agg(distinct dependency), '{}') as mrids from unnest(keys) key cross join lateral (
          select dependent_on from difference_model m where m.mrid_key = key and ${IS_PUBLISHED} order by m.number desc limit 1) newest
          cross join unnest(dependent_on) dependency) next
      where cardinality(keys) > 0 and cardinality(seen) <= ${MOST})
    select distinct on (depth, lower(mrid)) depth + 1 as depth, mrid as "mRID" from level, unnest(mrids) mrid
    where lower(mrid) <> all(seen) order by depth, lower(mrid), mrid limit ${MOST}`,
};

/** How published models depend on each other, by the mRIDs of their headers. */
export class ModelDependencies {
  private readonly rowsWithMrid: (key: string) => Promise<readonly FoundModel[]>;
  private readonly rowsDependent: (key: string) => Promise<readonly FoundModel[]>;

  constructor(private readonly database: Pick<Database, 'reads' | 'pool'>) {
    this.rowsWithMrid = rowsByKey(database.reads, WITH_MRID, ({ wanted }: FoundModel) => [wanted] as const);
    this.rowsDependent = rowsByKey(database.reads, DEPENDENTS, ({ wanted }: FoundModel) => [wanted] as const);
  }

  /** The models with an mRID, newest first. */
  async withMrid(mRID: string): Promise<readonly StoredModel[]> {
    requireStorable({ mRID });
    return this.rowsWithMrid(mRID);
  }

  /** The models that are a difference to one of this mRID, newest first. */
  dependents(mRID: string): Promise<readonly StoredModel[]> {
    return this.rowsDependent(mRID);
  }

  /** What a model depends on, and what that depends on, each mRID once, nearest first. */
  async chain({ mRID, dependentOn }: DifferenceModelHeader): Promise<readonly DependencyStep[]> {
    const { rows } = await this.database.pool.query<DependencyStep>({ ...CHAIN, values: [dependentOn, mRID] });
    return rows;
  }
}
