import { isUuid } from '../../../schema/identifiers';
import type { Database } from '../../server/database';
import type { CimFile, DifferenceModelHeader, DifferenceSection } from '../domain/difference-model';
import { rowsByKey } from '../../server/rows-by-key';

/** What a section holds. */
export interface SectionCounts {
  readonly items: number;
  readonly statements: number;
}

/** A published difference model, as it is stored. */
export interface StoredModel {
  readonly id: string;
  /** The number by which its items are found. */
  readonly number: number;
  readonly versionId: string;
  readonly file: CimFile;
  readonly header: DifferenceModelHeader;
  /** Null when the file has no such section. */
  readonly forwardDifferences: SectionCounts | null;
  readonly reverseDifferences: SectionCounts | null;
}

/** What a section holds of a class. */
export interface ItemClassCount extends SectionCounts {
  readonly model: number;
  readonly section: DifferenceSection;
  readonly type: string;
}

/** Columns of a published model `m`. */
export const MODEL_COLUMNS = `m.id, m.number, m.project_version as "versionId", m.file,
  json_build_object('mRID', m.mrid, 'created', m.created, 'scenarioTime', m.scenario_time,
    'modelingAuthoritySet', m.modeling_authority_set, 'profile', m.profile, 'description', m.description,
    'version', m.model_version, 'dependentOn', m.dependent_on, 'supersedes', m.supersedes) as header,
  case when m.forward_items is not null
    then json_build_object('items', m.forward_items, 'statements', m.forward_statements) end as "forwardDifferences",
  case when m.reverse_items is not null
    then json_build_object('items', m.reverse_items, 'statements', m.reverse_statements) end as "reverseDifferences"`;

/** A model that is not only staged. */
export const IS_PUBLISHED =
  'exists (select from project_version v where v.id = m.project_version and v.version is not null)';

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

/** Published difference models. */
export class DifferenceModelLists {
  private readonly rowsById: (id: string) => Promise<readonly StoredModel[]>;
  /** The models of a published version: EQ, SC and GL. */
  readonly ofVersion: (versionId: string) => Promise<readonly StoredModel[]>;
  /** What the model of a number holds, forward before reverse, the largest classes first. */
  readonly classCounts: (model: number) => Promise<readonly ItemClassCount[]>;

  constructor({ reads }: Pick<Database, 'reads'>) {
    this.rowsById = rowsByKey(reads, BY_ID, ({ id }: StoredModel) => [id] as const);
    this.ofVersion = rowsByKey(reads, OF_VERSION, ({ versionId }: StoredModel) => [versionId] as const);
    this.classCounts = rowsByKey(reads, CLASS_COUNTS, ({ model }: ItemClassCount) => [model] as const);
  }

  /** A model by its internal id. */
  async byId(id: string): Promise<StoredModel | null> {
    return isUuid(id) ? ((await this.rowsById(id.toLowerCase()))[0] ?? null) : null;
  }
}
