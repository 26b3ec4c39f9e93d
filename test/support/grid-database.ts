import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { type Database, openDatabase } from '../../subgraphs/server/database';
import { databaseAddress } from '../../subgraphs/server/database-login';
import { migrate } from '../../subgraphs/server/migrate';
import { ContentRepository } from '../../subgraphs/grid-models/database/content.repository';
import { PublicationRepository } from '../../subgraphs/grid-models/database/publication.repository';
import { StagedModelRepository } from '../../subgraphs/grid-models/database/staged-model.repository';
import { gridModelTables } from '../../subgraphs/grid-models/database/tables';
import type { PublicationPlace } from '../../subgraphs/grid-models/domain/publication-place';
import {
  type PublicationOutcome,
  type PublishedVersion,
  type PublishingParts,
  publishArchive,
} from '../../subgraphs/grid-models/publishing/publish';
import { migratedDatabase } from './postgres';
import { type TrialFolder, trialFolder } from './grid-archives';

/** The tables of `grid-models` in a database of their own, and what publishes into them. */
export interface GridDatabase {
  readonly url: string;
  readonly key: Buffer;
  /** As the running subgraph sees it. */
  readonly database: Database;
  /** As the owner of the database sees it. */
  readonly owner: Pool;
  readonly parts: PublishingParts;
  readonly folder: TrialFolder;
  /** Publishes an archive, as the operator. */
  publish(archive: Buffer, place?: PublicationPlace): Promise<PublicationOutcome>;
  /** The same, which must succeed. */
  published(archive: Buffer, place?: PublicationPlace): Promise<PublishedVersion>;
  /** Rows of every table that is not empty. */
  rows(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/** Where trial archives are published. */
export const TRIAL_PLACE: PublicationPlace = { area: 'EPN', publicationYear: 2026, period: '01', projectId: 'P1' };

/** A database with the tables of `grid-models`. */
export async function gridDatabase(): Promise<GridDatabase> {
  const fresh = await migratedDatabase();
  const key = randomBytes(32);
  const address = databaseAddress(fresh.url, 'grid_models', key);
  await migrate(address, gridModelTables, true, { GRID_MODELS_KEY: key });
  const database = await openDatabase(address, []);
  const owner = new Pool({ connectionString: fresh.url, options: '-c search_path=grid_models,register', max: 2 });
  // Its last sessions may end only with the database.
  owner.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const folder = await trialFolder();
  const { pool } = database;
  const parts: PublishingParts = {
    publications: new PublicationRepository(pool),
    models: new StagedModelRepository(pool),
    contents: new ContentRepository(pool),
  };
  let files = 0;
  const publish = async (archive: Buffer, place: PublicationPlace = TRIAL_PLACE) =>
    publishArchive(parts, { ...place, accountId: null }, await folder.write(`${++files}.zip`, archive));
  return {
    ...{ url: fresh.url, key, database, owner, parts, folder, publish },
    async published(archive, place) {
      const outcome = await publish(archive, place);
      if (outcome.outcome === 'refused') throw new Error(JSON.stringify(outcome.faults));
      return outcome.version;
    },
    rows: () => rowsOf(owner),
    close: async () => {
      await Promise.all([database.close(), owner.end(), folder.remove()]);
      await fresh.drop();
    },
  };
}

const TABLES = [
  ...['development_project', 'project_version', 'difference_model', 'model_dependency', 'content', 'content_chunk'],
  ...['difference_item', 'item_statement', 'class_count', 'object_change', 'grid_location', 'upload'],
];

async function rowsOf(owner: Pool): Promise<Record<string, number>> {
  const counts = TABLES.map((table) => `select '${table}' as name, count(*)::integer as rows from ${table}`);
  const { rows } = await owner.query<{ name: string; rows: number }>(counts.join(' union all '));
  return Object.fromEntries(rows.filter((table) => table.rows > 0).map((table) => [table.name, table.rows]));
}
