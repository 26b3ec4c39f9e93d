import type { Logger } from 'pino';
import { type Database, openDatabase } from '../server/database';
import { type DatabaseAddress, databaseAddress } from '../server/database-login';
import type { NamedKeys } from '../server/key-check';
import { keyedHash } from '../server/keyed-hash';
import { migrate } from '../server/migrate';
import { passedRateLimits, rateLimit } from '../server/rate-limits';
import { repeat } from '../server/repeat';
import { forgetPassed } from '../server/retention';
import { type RunningSubgraph, type SubgraphOptions, answers } from '../server/running-subgraph';
import { localLink } from '../server/subgraph-link';
import type { SubgraphSchema } from '../server/subgraph-schema';
import { type ContentStore, contentStore } from './content-store';
import { ContentRepository } from './database/content.repository';
import { PublicationRepository } from './database/publication.repository';
import { StagedModelRepository } from './database/staged-model.repository';
import { removeLeft } from './database/staged-removal.repository';
import { gridModelTables } from './database/tables';
import { UploadRepository } from './database/upload.repository';
import type { PublicationPlace } from './domain/publication-place';
import { type GridFiles, gridFiles } from './files';
import { gridModelLists } from './grid-model-lists';
import { type PublicationOutcome, type PublishingParts, publishArchive } from './publishing/publish';
import { type PublishingTurns, publishingTurns } from './publishing/publishing-turns';
import { type Uploads, uploadsOf } from './publishing/uploads';
import { gridModelSchema } from './schema';

/** What `grid-models` is started with. */
export interface GridModelOptions extends SubgraphOptions {
  /** GRID_MODELS_KEY: the login, upload addresses and content addresses are made of it. */
  readonly key: Buffer;
}

/** The subgraph, with the bytes that it takes and gives beside GraphQL. */
export interface RunningGridModels extends RunningSubgraph, SubgraphSchema {
  readonly files: GridFiles;
  readonly publish: Publish;
}

/** Publishes the archive in a file, as the operator. */
export type Publish = (place: PublicationPlace, zipPath: string) => Promise<PublicationOutcome>;

/** Where `grid-models` keeps its data. */
export function gridModelsAddress(databaseUrl: string, key: Buffer): DatabaseAddress {
  return databaseAddress(databaseUrl, 'grid_models', key);
}

/** The key of `grid-models` by its variable, as the database checks it. */
export function namedGridModelsKeys(key: Buffer): NamedKeys {
  return { GRID_MODELS_KEY: key };
}

/** Uploads of a process that are received or wait; the next one is told to come later. */
const UPLOADS_AT_ONCE = 5;

/** Starts the subgraph `grid-models`: published archives of difference models. */
export async function startGridModels(options: GridModelOptions): Promise<RunningGridModels> {
  const { databaseUrl, key, logger, clockOffsetSeconds } = options;
  const database = await openGridModels(databaseUrl, key, clockOffsetSeconds !== undefined);
  const parts = publishingParts(database);
  const turns = publishingTurns(UPLOADS_AT_ONCE);
  const uploads = uploadsOf({ ...parts, turns, key, uploads: new UploadRepository(database.pool) });
  const contents = contentStore(parts.contents, key);
  const schema = await executable(database, options, { contents, uploads });
  const stopSweeping = sweep(database, logger);
  return {
    ...schema,
    link: localLink('grid-models', schema.schema, logger),
    files: gridFiles(contents, uploads, logger),
    publish: publishing(parts, turns),
    ready: () => answers(database),
    close: async () => {
      await stopSweeping();
      await database.close();
    },
  };
}

/** Brings the schema up to date and opens what publishing needs, for a command of the operator; what others have left is removed first. */
export async function openPublishing(databaseUrl: string, key: Buffer) {
  const database = await openGridModels(databaseUrl, key);
  await removeLeft(database.pool);
  return { publish: publishing(publishingParts(database), publishingTurns(1)), close: () => database.close() };
}

async function openGridModels(databaseUrl: string, key: Buffer, movableClock?: boolean): Promise<Database> {
  const address = gridModelsAddress(databaseUrl, key);
  await migrate(address, gridModelTables, movableClock, namedGridModelsKeys(key));
  return openDatabase(address, []);
}

function publishingParts({ pool }: Database): PublishingParts {
  return {
    publications: new PublicationRepository(pool),
    models: new StagedModelRepository(pool),
    contents: new ContentRepository(pool),
  };
}

function publishing(parts: PublishingParts, turns: PublishingTurns): Publish {
  return (place, zipPath) => turns.take(() => publishArchive(parts, { ...place, accountId: null }, zipPath));
}

function executable(
  database: Database,
  { key, limits, rateLimitsOff }: GridModelOptions,
  files: { readonly contents: ContentStore; readonly uploads: Uploads },
): Promise<SubgraphSchema> {
  const store = { pool: database.pool, schema: 'grid_models', hash: keyedHash(key, 'rate-limit'), off: rateLimitsOff };
  const fileRequests = rateLimit(store, 'grid-files', limits.gridFiles, 60);
  return gridModelSchema({ ...files, lists: gridModelLists(database), fileRequests });
}

/** Seconds between two looks for what was left. */
const SWEEP_EVERY = 60;

/** Removes what publications that were killed have left, and upload addresses and limits that are over. */
function sweep({ pool }: Database, logger: Logger): () => Promise<void> {
  const stops = [
    repeat(SWEEP_EVERY, () => removeLeft(pool), logger, 'what publications have left could not be removed'),
    forgetPassed([new UploadRepository(pool).forget, passedRateLimits(pool)], SWEEP_EVERY, logger),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}
