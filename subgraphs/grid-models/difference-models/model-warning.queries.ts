import type { Database } from '../../server/database/database';
import type { CimFile, DifferenceModelHeader } from '../rdf/difference-model';
import { rowsByKey } from '../../server/database/rows-by-key';
import { type ModelWarning, type WarningInputs, modelWarnings } from './model-warnings';

type VersionInputs = WarningInputs & { readonly versionId: string };
type BaseInputs = WarningInputs & { readonly base: number };

/** A file of an archive that is not published yet. */
interface UnpublishedModel {
  readonly file: CimFile;
  readonly header: DifferenceModelHeader;
  readonly sha256: Buffer;
}

const POSITION = `array_position('{EQ,SC,GL}', m.file)`;

/** Published difference models. `series` and `version` order the versions of one project, whatever the clock was at their publication. */
const VERSIONS = `select m.project_version as "versionId", m.file, m.mrid, m.created, m.dependent_on, false as is_base, c.sha256,
    v.published_at, m.number, ${POSITION} as position, v.project::text as series, v.version
  from difference_model m join project_version v on v.id = m.project_version and v.published_at is not null
    join content c on c.project_version = m.project_version and c.member = m.file and c.view = 'rdf' and c.encoding = 'identity'`;

/** Full models of published base models. Those of one licence area and cycle are a series. */
const BASES = `select m.base, m.file, m.mrid, m.created, m.dependent_on, true as is_base, m.sha256,
    b.published_at, m.base as number, ${POSITION} as position,
    concat_ws(' ', b.area, b.publication_year, b.period) as series, b.version
  from base_file m join base_model b on b.number = m.base and b.version is not null`;

/** Files of an archive: `$1` their headers and digests, `$2` whether they are full models. They follow all published models. */
const UNPUBLISHED = `select m.file, m.mrid, m.created, m.dependent_on, $2::boolean as is_base, decode(m.sha256, 'hex') as sha256,
    'infinity'::timestamptz as published_at, 0 as number, ${POSITION} as position, null as series, null::integer as version
  from jsonb_to_recordset($1::jsonb) as m (file text, mrid text, created text, dependent_on text[], sha256 text)`;

/** Models that are published, or that `others` selects, with an mRID. */
const modelsWith = (mRID: string, others: readonly string[]) => {
  const columns = 'is_base, sha256, published_at, number, position, series, version';
  return [
    `select ${columns} from (${VERSIONS} where m.mrid_key = lower(${mRID})) found`,
    `select ${columns} from (${BASES} where lower(m.mrid) = lower(${mRID})) found`,
    ...others.map((models) => `select ${columns} from (${models} where lower(m.mrid) = lower(${mRID})) found`),
  ].join(' union all ');
};

/** Whether the model `other` of another series was published before `model`: by the clock, which may have been set back between the two. */
const BY_CLOCK =
  '(other.published_at, other.number, other.position) < (model.published_at, model.number, model.position)';

/** The same at the publication of `model`: every model that is found was published before, or by a concurrent publication. */
const AT_PUBLICATION = 'true';

/**
 * Properties of models, in the order of their files. A full model and a difference model never have the same contents; a base model of the
 * previous release has no digest.
 */
const facts = (key: readonly string[], models: string, others: readonly string[] = [], isBefore = BY_CLOCK) => `
  select ${[...key, 'file'].join(', ')}, mrid as "mRID", created, dependent_on as "dependentOn", not is_base or file <> 'EQ' as "needsDependency",
    array(select given.mrid from unnest(dependent_on) with ordinality as given (mrid, place)
      where not exists (${modelsWith('given.mrid', others)}) order by place) as unpublished,
    exists (select from (${modelsWith('model.mrid', others)}) other
      where case when other.series = model.series then (other.version, other.position) < (model.version, model.position)
          else ${isBefore} end
        and (other.is_base <> model.is_base or other.sha256 <> model.sha256)) as "isReused"
  from (${models}) model order by position`;

const MODELS_OF_VERSIONS = `${VERSIONS} where m.project_version = any($1::uuid[])`;
const OF_VERSIONS = { name: 'warning_facts', text: facts(['"versionId"'], MODELS_OF_VERSIONS) };
const OF_NEW_VERSION = {
  name: 'new_warning_facts',
  text: facts(['"versionId"'], MODELS_OF_VERSIONS, [], AT_PUBLICATION),
};

const MODELS_OF_BASES = `${BASES} where m.base = any($1::integer[])`;
const OF_BASES = { name: 'base_warning_facts', text: facts(['base'], MODELS_OF_BASES) };
const OF_NEW_BASE = { name: 'new_base_warning_facts', text: facts(['base'], MODELS_OF_BASES, [], AT_PUBLICATION) };

const OF_ARCHIVE = { name: 'archive_warning_facts', text: facts([], UNPUBLISHED, [UNPUBLISHED]) };

/** Queries for the warnings of models. Nothing is stored: a warning on a dependency ends when that is published. */
export class ModelWarningQueries {
  private readonly versionInputs: (versionId: string) => Promise<readonly VersionInputs[]>;
  private readonly baseInputs: (base: number) => Promise<readonly BaseInputs[]>;

  constructor(private readonly database: Pick<Database, 'reads'>) {
    const { reads } = database;
    this.versionInputs = rowsByKey(reads, OF_VERSIONS, ({ versionId }: VersionInputs) => [versionId] as const);
    this.baseInputs = rowsByKey(reads, OF_BASES, ({ base }: BaseInputs) => [base] as const);
  }

  /** Returns the warnings of a published version, in the order EQ, SC, GL. */
  async ofVersion(versionId: string): Promise<readonly ModelWarning[]> {
    return (await this.versionInputs(versionId)).flatMap(modelWarnings);
  }

  /** Returns the warnings of a version that has just been published, for its publisher. Any other model counts as published before it. */
  async ofNewVersion(versionId: string): Promise<readonly ModelWarning[]> {
    return (await this.database.reads.rows<WarningInputs>(OF_NEW_VERSION, [[versionId]])).flatMap(modelWarnings);
  }

  /** Returns the warnings of a published base model by its short key, in the order EQ, SC, GL. */
  async ofBase(base: number): Promise<readonly ModelWarning[]> {
    return (await this.baseInputs(base)).flatMap(modelWarnings);
  }

  /** Returns the warnings of a base model that has just been published, for its publisher. */
  async ofNewBase(base: number): Promise<readonly ModelWarning[]> {
    return (await this.database.reads.rows<WarningInputs>(OF_NEW_BASE, [[base]])).flatMap(modelWarnings);
  }

  /** Returns the warnings that the publication of an archive would have now, in the order EQ, SC, GL. */
  async ofArchive(models: readonly UnpublishedModel[], areFullModels: boolean): Promise<readonly ModelWarning[]> {
    const records = models.map(({ file, header: { mRID: mrid, created, dependentOn }, sha256 }) => ({
      ...{ file, mrid, created, dependent_on: dependentOn, sha256: sha256.toString('hex') },
    }));
    const values = [JSON.stringify(records), areFullModels];
    return (await this.database.reads.rows<WarningInputs>(OF_ARCHIVE, values)).flatMap(modelWarnings);
  }
}
