import type { Database } from '../../server/database/database';
import { rowsByKey } from '../../server/database/rows-by-key';
import type { BaseModelKey } from '../publications/publication-key';
import type { BaseFile, StoredBaseModel } from './base-model';
import { BASE_COLUMNS } from './base-model.repository';

/**
 * SQL: the base model to which the projects of a publication cycle are applied: the newest of the area that is not of a later cycle. A
 * correction of a base model replaces the one before.
 */
export const applicableBase = (columns: string, area: string, publicationYear: string, period: string): string =>
  `select ${columns} from base_model
    where area = ${area} and version is not null and (publication_year, period) <= (${publicationYear}, ${period})
    order by publication_year desc, period desc, version desc limit 1`;

const APPLICABLE = { name: 'applicable_base_model', text: applicableBase(BASE_COLUMNS, '$1', '$2::integer', '$3') };

const OF_MRID = {
  name: 'base_model_of_mrid',
  text: `select ${BASE_COLUMNS} from base_model b where version is not null and exists (
      select from base_file f where f.base = b.number and lower(f.mrid) = lower($1))
    order by published_at desc, number desc limit 1`,
};

const FILES = {
  name: 'files_of_base_models',
  text: `select base, file, mrid as "mRID", created, scenario_time as "scenarioTime", modeling_authority_set as "modelingAuthoritySet",
      profile, description, model_version as version, dependent_on as "dependentOn", supersedes, items, statements
    from base_file where base = any($1::integer[]) order by array_position('{EQ,SC,GL}', file)`,
};

const CHUNKS = {
  name: 'chunks_of_base_model',
  text: 'select bytes from base_chunk where base = $1 and number = $2',
};

type FileRow = BaseFile['header'] & Omit<BaseFile, 'header'> & { readonly base: number };

/** Queries for published base models. */
export class BaseModelQueries {
  private readonly fileRows: (base: number) => Promise<readonly FileRow[]>;

  constructor(private readonly database: Pick<Database, 'reads' | 'pool'>) {
    this.fileRows = rowsByKey(database.reads, FILES, ({ base }: FileRow) => [base] as const);
  }

  /** Returns the base model of a publication cycle of an area; null if none is published. */
  async applicable({ area, publicationYear, period }: BaseModelKey): Promise<StoredBaseModel | null> {
    const [row] = await this.database.reads.rows<StoredBaseModel>(APPLICABLE, [area, publicationYear, period]);
    return row ?? null;
  }

  /** Returns the newest published base model with a full model of an mRID; null if none has it. */
  async withMrid(mRID: string): Promise<StoredBaseModel | null> {
    const [row] = await this.database.reads.rows<StoredBaseModel>(OF_MRID, [mRID]);
    return row ?? null;
  }

  /** Returns the files of a base model. */
  async files(base: number): Promise<readonly BaseFile[]> {
    return (await this.fileRows(base)).map(({ file, items, statements, ...header }) => ({
      ...{ file, header, items, statements },
    }));
  }

  /** Yields the bytes of the archive of a base model, chunk by chunk. */
  async *archive(base: number): AsyncGenerator<Buffer> {
    for (let number = 0; ; number += 1) {
      const { rows } = await this.database.pool.query<{ bytes: Buffer }>({ ...CHUNKS, values: [base, number] });
      const [chunk] = rows;
      if (chunk === undefined) return;
      yield chunk.bytes;
    }
  }
}
