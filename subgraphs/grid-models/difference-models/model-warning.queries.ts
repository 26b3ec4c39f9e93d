import type { Database } from '../../server/database/database';
import { rowsByKey } from '../../server/database/rows-by-key';
import { type ModelWarning, type WarningInputs, modelWarnings } from './model-warnings';

type VersionInputs = WarningInputs & { readonly versionId: string };
type BaseInputs = WarningInputs & { readonly base: number };

/** Digest of the published bytes of a difference model. */
const digestOf = (model: string) => `(select c.sha256 from content c where c.project_version = ${model}.project_version
  and c.member = ${model}.file and c.view = 'rdf' and c.encoding = 'identity')`;

/** When the version of a difference model was published; null if it is only staged. */
const publishedAt = (model: string) =>
  `(select v.published_at from project_version v where v.id = ${model}.project_version)`;

/** Whether a published difference model, or a full model of a published base model, has the mRID. */
const isPublished = (mRID: string) => `(
  exists (select from difference_model d where d.mrid_key = lower(${mRID}) and ${publishedAt('d')} is not null)
  or exists (select from base_file f join base_model b on b.number = f.base
    where lower(f.mrid) = lower(${mRID}) and b.version is not null))`;

/** The mRIDs of a list that are not published, in its order. */
const unpublishedOf = (mRIDs: string) => `array(
  select given.mrid from unnest(${mRIDs}) with ordinality as given (mrid, position)
  where not ${isPublished('given.mrid')} order by position)`;

/** A full model and a difference model never have the same contents. */
const OF_VERSIONS = {
  name: 'warning_facts',
  text: `select m.project_version as "versionId", m.file, m.mrid as "mRID", m.created, m.dependent_on as "dependentOn",
      true as "needsDependency", ${unpublishedOf('m.dependent_on')} as unpublished,
      exists (select from difference_model o where o.mrid_key = m.mrid_key and o.number < m.number
          and ${publishedAt('o')} is not null and ${digestOf('o')} <> ${digestOf('m')})
        or exists (select from base_file f join base_model b on b.number = f.base
          where lower(f.mrid) = m.mrid_key and b.published_at < ${publishedAt('m')}) as "isReused"
    from difference_model m where m.project_version = any($1::uuid[]) and ${publishedAt('m')} is not null
    order by array_position('{EQ,SC,GL}', m.file)`,
};

/** Sort key of full models: the base model, then the file (EQ, SC, GL). */
const orderOf = (model: string) => `(${model}.base, array_position('{EQ,SC,GL}', ${model}.file))`;

const OF_BASES = {
  name: 'base_warning_facts',
  text: `select m.base, m.file, m.mrid as "mRID", m.created, m.dependent_on as "dependentOn",
      m.file <> 'EQ' as "needsDependency", ${unpublishedOf('m.dependent_on')} as unpublished,
      exists (select from base_file o join base_model b on b.number = o.base
          where lower(o.mrid) = lower(m.mrid) and b.version is not null and ${orderOf('o')} < ${orderOf('m')} and o.sha256 <> m.sha256)
        or exists (select from difference_model d
          where d.mrid_key = lower(m.mrid) and ${publishedAt('d')} < own.published_at) as "isReused"
    from base_file m join base_model own on own.number = m.base
    where m.base = any($1::integer[]) and own.version is not null
    order by array_position('{EQ,SC,GL}', m.file)`,
};

/** Queries for the warnings of published models. Nothing is stored: a warning on a dependency ends when that is published. */
export class ModelWarningQueries {
  private readonly versionInputs: (versionId: string) => Promise<readonly VersionInputs[]>;
  private readonly baseInputs: (base: number) => Promise<readonly BaseInputs[]>;

  constructor({ reads }: Pick<Database, 'reads'>) {
    this.versionInputs = rowsByKey(reads, OF_VERSIONS, ({ versionId }: VersionInputs) => [versionId] as const);
    this.baseInputs = rowsByKey(reads, OF_BASES, ({ base }: BaseInputs) => [base] as const);
  }

  /** Returns the warnings of a published version, in the order EQ, SC, GL. */
  async ofVersion(versionId: string): Promise<readonly ModelWarning[]> {
    return (await this.versionInputs(versionId)).flatMap(modelWarnings);
  }

  /** Returns the warnings of a published base model by its short key, in the order EQ, SC, GL. */
  async ofBase(base: number): Promise<readonly ModelWarning[]> {
    return (await this.baseInputs(base)).flatMap(modelWarnings);
  }
}
