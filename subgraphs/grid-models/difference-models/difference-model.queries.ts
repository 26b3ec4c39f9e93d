import { isUuid } from '../../../schema/identifiers';
import type { Database } from '../../server/database/database';
import type { CimFile, DifferenceModelHeader, DifferenceSection } from '../rdf/difference-model';
import { rowsByKey } from '../../server/database/rows-by-key';
import { requireWellFormed } from '../well-formed-arguments';

/** Number of items and of their statements in a section. */
interface SectionCounts {
  readonly items: number;
  readonly statements: number;
}

/** A stored, published difference model. */
export interface StoredModel {
  readonly id: string;
  /** Short key under which its items are stored. */
  readonly number: number;
  readonly versionId: string;
  readonly file: CimFile;
  readonly header: DifferenceModelHeader;
  /** Null if the file has no such section. */
  readonly forwardDifferences: SectionCounts | null;
  readonly reverseDifferences: SectionCounts | null;
}

/** Number of items of a class in a section, and of their statements. */
export interface ItemClassCount extends SectionCounts {
  readonly model: number;
  readonly section: DifferenceSection;
  readonly type: string;
}

/** Columns of a published model `m`. */
const MODEL_COLUMNS = `m.id, m.number, m.project_version as "versionId", m.file,
  json_build_object('mRID', m.mrid, 'created', m.created, 'scenarioTime', m.scenario_time,
    'modelingAuthoritySet', m.modeling_authority_set, 'profile', m.profile, 'description', m.description,
    'version', m.model_version, 'dependentOn', m.dependent_on, 'supersedes', m.supersedes) as header,
  case when m.forward_items is not null
    then json_build_object('items', m.forward_items, 'statements', m.forward_statements) end as "forwardDifferences",
  case when m.reverse_items is not null
    then json_build_object('items', m.reverse_items, 'statements', m.reverse_statements) end as "reverseDifferences"`;

/** Condition: the version of the model is published, not only staged. */
const IS_PUBLISHED = 'exists (select from project_version v where v.id = m.project_version and v.version is not null)';

const BY_ID = {
  name: 'models_by_id',
  text: `select ${MODEL_COLUMNS} from difference_model m where m.id = any($1::uuid[]) and ${IS_PUBLISHED}`,
};

const OF_VERSION = {
  name: 'models_of_version',
  text: `select ${MODEL_COLUMNS} from difference_model m where m.project_version = any($1::uuid[])
    order by array_position('{EQ,SC,GL}', m.file)`,
};

const CLASS_COUNTS = {
  name: 'class_counts',
  text: `select model, section, type, items, statements from class_count where model = any($1::integer[])
    order by section, items desc, type`,
};

/** Queries for published difference models. */
export class DifferenceModelQueries {
  private readonly rowsById: (id: string) => Promise<readonly StoredModel[]>;
  /** The models of a published version, in the order EQ, SC, GL. */
  readonly ofVersion: (versionId: string) => Promise<readonly StoredModel[]>;
  /** Items of a model by section and class: forward before reverse, largest class first. */
  readonly classCounts: (model: number) => Promise<readonly ItemClassCount[]>;

  constructor({ reads }: Pick<Database, 'reads'>) {
    this.rowsById = rowsByKey(reads, BY_ID, ({ id }: StoredModel) => [id] as const);
    this.ofVersion = rowsByKey(reads, OF_VERSION, ({ versionId }: StoredModel) => [versionId] as const);
    this.classCounts = rowsByKey(reads, CLASS_COUNTS, ({ model }: ItemClassCount) => [model] as const);
  }

  /** Returns a model by its internal id. */
  async byId(id: string): Promise<StoredModel | null> {
    return isUuid(id) ? ((await this.rowsById(id.toLowerCase()))[0] ?? null) : null;
  }
}

/** A model in a chain of dependencies. */
export interface DependencyStep {
  /** Length of the shortest path of dependencies, from 1. */
  readonly depth: number;
  readonly mRID: string;
}

type FoundModel = StoredModel & { readonly wanted: string };

/** Models in a list, and steps in a chain. */
const MAX_MODELS = 100;

const WITH_MRID = {
  name: 'models_with_mrid',
  text: `select wanted, found.* from unnest($1::text[]) wanted cross join lateral (
      select ${MODEL_COLUMNS} from difference_model m where m.mrid_key = lower(wanted) and ${IS_PUBLISHED}
      order by m.number desc limit ${MAX_MODELS}) found
    order by found.number desc`,
};

const DEPENDENTS = {
  name: 'dependent_models',
  text: `select wanted, found.* from unnest($1::text[]) wanted cross join lateral (
      select ${MODEL_COLUMNS} from model_dependency d join difference_model m on m.number = d.model
      where d.mrid_key = lower(wanted) and ${IS_PUBLISHED} order by d.model desc limit ${MAX_MODELS}) found
    order by found.number desc`,
};

/**
 * Breadth-first search with one row per depth. It follows only mRIDs that no smaller depth has, so that cycles end. If an mRID is published
 * more than once, the newest model determines its dependencies.
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
      where cardinality(keys) > 0 and cardinality(seen) <= ${MAX_MODELS})
    select distinct on (depth, lower(mrid)) depth + 1 as depth, mrid as "mRID" from level, unnest(mrids) mrid
    where lower(mrid) <> all(seen) order by depth, lower(mrid), mrid limit ${MAX_MODELS}`,
};

/** Queries for the dependencies between published models, by the mRIDs in their headers. */
export class ModelDependencyQueries {
  private readonly rowsWithMrid: (key: string) => Promise<readonly FoundModel[]>;
  private readonly rowsDependent: (key: string) => Promise<readonly FoundModel[]>;

  constructor(private readonly database: Pick<Database, 'reads' | 'pool'>) {
    this.rowsWithMrid = rowsByKey(database.reads, WITH_MRID, ({ wanted }: FoundModel) => [wanted] as const);
    this.rowsDependent = rowsByKey(database.reads, DEPENDENTS, ({ wanted }: FoundModel) => [wanted] as const);
  }

  /** Returns the models with an mRID, newest first. */
  async withMrid(mRID: string): Promise<readonly StoredModel[]> {
    requireWellFormed({ mRID });
    return this.rowsWithMrid(mRID);
  }

  /** Returns the models that depend on the model with this mRID, newest first. */
  dependents(mRID: string): Promise<readonly StoredModel[]> {
    return this.rowsDependent(mRID);
  }

  /** Returns the direct and indirect dependencies of a model, each mRID once, nearest first. */
  async chain({ mRID, dependentOn }: DifferenceModelHeader): Promise<readonly DependencyStep[]> {
    const { rows } = await this.database.pool.query<DependencyStep>({ ...CHAIN, values: [dependentOn, mRID] });
    return rows;
  }
}
