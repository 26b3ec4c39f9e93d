import { newKeyVariables } from '../../process/settings/new-keys';
import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { type Database, openDatabase } from '../../subgraphs/server/database/database';
import { databaseAddress } from '../../subgraphs/server/database/database-login';
import { migrate } from '../../subgraphs/server/database/migrate';
import { ContentRepository } from '../../subgraphs/grid-models/files/content.repository';
import { ModelWarningQueries } from '../../subgraphs/grid-models/difference-models/model-warning.queries';
import { KNOWN_PROFILES } from '../../subgraphs/grid-models/rdf/member-profiles';
import { PublicationRepository } from '../../subgraphs/grid-models/publications/publication.repository';
import { StagedModelRepository } from '../../subgraphs/grid-models/publications/staged-model.repository';
import {
  type UploadingAccountQueries,
  uploadingAccounts,
} from '../../subgraphs/grid-models/publications/uploading-account.client';
import type { SubgraphLink } from '../../subgraphs/server/graph/subgraph-link';
import { gridModelTables } from '../../subgraphs/grid-models/tables.sql';
import { BaseModelQueries } from '../../subgraphs/grid-models/base-models/base-model.queries';
import { BaseModelRepository } from '../../subgraphs/grid-models/base-models/base-model.repository';
import {
  type BasePublicationOutcome,
  publishBase,
} from '../../subgraphs/grid-models/base-models/base-publication.flow';
import type { BaseModelKey, PublicationKey } from '../../subgraphs/grid-models/publications/publication-key';
import { type PublicationOutcome, publishArchive } from '../../subgraphs/grid-models/publications/publish.flow';
import type { ReceivedDependencies } from '../../subgraphs/grid-models/publications/received-archive.flow';
import { migratedDatabase } from './postgres';
import { type TrialFolder, trialFolder } from './grid-archives';
import type { PublishedVersion } from '../../subgraphs/grid-models/publications/publication';

/** A separate database with the tables of `grid-models`, and the repositories that publish into it. */
export interface GridDatabase {
  readonly url: string;
  readonly key: Buffer;
  /** With the login of the subgraph. */
  readonly database: Database;
  /** With the login of the owner. */
  readonly owner: Pool;
  readonly parts: ReceivedDependencies & { readonly accounts: UploadingAccountQueries };
  readonly folder: TrialFolder;
  /** Publishes an archive as the operator. */
  publish(archive: Buffer, key?: PublicationKey): Promise<PublicationOutcome>;
  /** Publishes an archive; throws if it is rejected. */
  published(archive: Buffer, key?: PublicationKey): Promise<PublishedVersion>;
  /** Publishes a base model as the operator. */
  publishBase(archive: Buffer, key?: BaseModelKey): Promise<BasePublicationOutcome>;
  /** Number of rows of every table that is not empty. */
  rows(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/** Publication key of test archives. */
export const TEST_KEY: PublicationKey = { area: 'EPN', publicationYear: 2026, period: '01', projectId: 'P1' };

/** `access`, called for accounts only: each is active and has never been revoked. */
export const accessOfAdmins: SubgraphLink = {
  name: 'access',
  execute: () => Promise.resolve({ data: { accountStandings: [{ active: true, tokenSeries: null }] } }),
};

/** Creates the database and its tables. */
export async function gridDatabase(): Promise<GridDatabase> {
  const fresh = await migratedDatabase();
  const key = randomBytes(32);
  const address = databaseAddress(fresh.url, 'grid_models', key);
  await migrate(address, gridModelTables, true, { GRID_MODELS_KEY: key });
  const database = openDatabase(address);
  const owner = new Pool({ connectionString: fresh.url, options: '-c search_path=grid_models,register', max: 2 });
  // Dropping the database may end the last sessions with an error.
  owner.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const folder = await trialFolder();
  const { pool } = database;
  const parts = {
    baseModels: new BaseModelQueries(database),
    publications: new PublicationRepository(pool),
    models: new StagedModelRepository(pool),
    contents: new ContentRepository(pool),
    bases: new BaseModelRepository(pool),
    warnings: new ModelWarningQueries(database),
    profiles: KNOWN_PROFILES,
    accounts: uploadingAccounts(accessOfAdmins),
  };
  let files = 0;
  const publish = async (archive: Buffer, publicationKey: PublicationKey = TEST_KEY) =>
    publishArchive(parts, { ...publicationKey, accountId: null }, await folder.write(`${++files}.zip`, archive));
  return {
    ...{ url: fresh.url, key, database, owner, parts, folder, publish },
    async published(archive, publicationKey) {
      const outcome = await publish(archive, publicationKey);
      if (outcome.outcome === 'refused') throw new Error(JSON.stringify(outcome.faults));
      return outcome.version;
    },
    publishBase: async (archive, { area, publicationYear, period } = TEST_KEY) =>
      publishBase(
        parts,
        { area, publicationYear, period, accountId: null },
        await folder.write(`${++files}.zip`, archive),
      ),
    rows: () => rowsOf(owner),
    close: async () => {
      await Promise.all([database.close(), owner.end(), folder.remove()]);
      await fresh.drop();
    },
  };
}

const TABLES = [
  ...['development_project', 'project_version', 'difference_model', 'model_dependency', 'content', 'content_chunk'],
  ...[
    'difference_item',
    'item_statement',
    'class_count',
    'model_precondition',
    'object_change',
    'object_class_count',
    'grid_location',
    'upload',
    ...['base_model', 'base_file', 'base_chunk', 'base_item', 'base_reference'],
  ],
];

async function rowsOf(owner: Pool): Promise<Record<string, number>> {
  const counts = TABLES.map((table) => `select '${table}' as name, count(*)::integer as rows from ${table}`);
  const { rows } = await owner.query<{ name: string; rows: number }>(counts.join(' union all '));
  return Object.fromEntries(rows.filter((table) => table.rows > 0).map((table) => [table.name, table.rows]));
}

/** Returns the variables of a command that uses the database. */
export async function commandVariables({ key, url, folder }: GridDatabase): Promise<Record<string, string>> {
  return {
    ...newKeyVariables(),
    GRID_MODELS_KEY: key.toString('base64'),
    DATABASE_URL: url,
    DATA_DIR: folder.path,
  };
}
