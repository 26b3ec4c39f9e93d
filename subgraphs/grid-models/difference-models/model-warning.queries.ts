import type { Database } from '../../server/database/database';
import { rowsByKey } from '../../server/database/rows-by-key';
import { type ModelWarning, type WarningFacts, modelWarnings } from './model-warnings';

type FactsRow = WarningFacts & { readonly versionId: string };

/** Digest of the published bytes of a model. */
const digestOf = (model: string) => `(select c.sha256 from content c where c.project_version = ${model}.project_version
  and c.member = ${model}.file and c.view = 'rdf' and c.encoding = 'identity')`;

const isPublished = (model: string) =>
  `exists (select from project_version v where v.id = ${model}.project_version and v.version is not null)`;

/** Whether a full model of a published base model has the mRID. */
const isOfBaseModel = (mRID: string) => `exists (select from base_file f join base_model b on b.number = f.base
  where lower(f.mrid) = lower(${mRID}) and b.version is not null)`;

const FACTS = {
  name: 'warning_facts',
  text: `select m.project_version as "versionId", m.file, m.mrid as "mRID", m.created, m.dependent_on as "dependentOn",
      array(select given.mrid from unnest(m.dependent_on) with ordinality as given (mrid, position) where not exists (
        select from difference_model d where d.mrid_key = lower(given.mrid) and ${isPublished('d')})
        and not ${isOfBaseModel('given.mrid')} order by position) as unpublished,
      exists (select from difference_model o where o.mrid_key = m.mrid_key and o.number < m.number and ${isPublished('o')}
        and ${digestOf('o')} <> ${digestOf('m')}) as "isReused"
    from difference_model m where m.project_version = any($1::uuid[]) and ${isPublished('m')}
    order by array_position('{EQ,SC,GL}', m.file)`,
};

/** Queries for the warnings of published models. Nothing is stored: a warning on a dependency ends when that is published. */
export class ModelWarningQueries {
  private readonly facts: (versionId: string) => Promise<readonly FactsRow[]>;

  constructor({ reads }: Pick<Database, 'reads'>) {
    this.facts = rowsByKey(reads, FACTS, ({ versionId }: FactsRow) => [versionId] as const);
  }

  /** Returns the warnings of a published version, in the order EQ, SC, GL. */
  async ofVersion(versionId: string): Promise<readonly ModelWarning[]> {
    return (await this.facts(versionId)).flatMap(modelWarnings);
  }
}
