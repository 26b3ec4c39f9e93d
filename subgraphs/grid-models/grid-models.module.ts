import type { Logger } from 'pino';
import { type Database, openDatabase, openPool, sessionOptions } from '../server/database/database';
import { type DatabaseAddress, databaseAddress } from '../server/database/database-login';
import type { NamedKeys } from '../server/database/key-check';
import { AuditLog } from '../server/audit/audit.repository';
import { keyedHash } from '../server/keyed-hash';
import { prepare } from '../server/database/prepare';
import { type RateLimit, expiredRateLimits, rateLimit } from '../server/callers/rate-limits';
import { repeat, stopAll } from '../server/jobs/repeat';
import { purgePeriodically } from '../server/retention';
import { type RunningSubgraph, type SubgraphOptions, isDatabaseReady } from '../server/graph/running-subgraph';
import { type SubgraphLink, localLink } from '../server/graph/subgraph-link';
import { BaseModelRepository } from './base-models/base-model.repository';
import { BaseModelQueries } from './base-models/base-model.queries';
import { type BasePublicationOutcome, publishBase } from './base-models/base-publication.flow';
import { contentStore } from './files/content-store.flow';
import { ContentRepository } from './files/content.repository';
import { PublicationRepository } from './publications/publication.repository';
import { StagedModelRepository } from './publications/staged-model.repository';
import {
  STAGED_BASES,
  STAGED_VERSIONS,
  type StagedTable,
  removeAbandoned,
} from './publications/staged-removal.repository';
import { gridModelTables } from './tables.sql';
import { ModelWarningQueries } from './difference-models/model-warning.queries';
import { type MemberProfiles, profilesWith } from './rdf/member-profiles';
import { UploadRepository } from './publications/upload.repository';
import { uploadingAccounts } from './publications/uploading-account.client';
import type { BaseModelKey, PublicationKey } from './publications/publication-key';
import { type GridFiles, gridFiles } from './files/files.module';
import { gridModelQueries } from './dependencies';
import { type PublicationOutcome, publishArchive } from './publications/publish.flow';
import type { ReceivedDependencies } from './publications/received-archive.flow';
import { publicationQueue } from './publications/publication-queue';
import { limitedUploads } from './publications/upload-limit.flow';
import { uploadsOf } from './publications/uploads.flow';
import { gridModelSchema } from './schema';

/** Settings with which the process starts `grid-models`. */
interface GridModelOptions extends SubgraphOptions {
  /** GRID_MODELS_KEY. The database login and the signatures of upload and content addresses are derived from it. */
  readonly key: Buffer;
  /** Link to `access`, which knows the accounts of admins. */
  readonly access: SubgraphLink;
  /** Profiles of GRID_PROFILES, in addition to the known ones. */
  readonly addedProfiles?: Partial<MemberProfiles>;
}

/** The started subgraph: GraphQL, and the files that REST uploads and downloads. */
export interface RunningGridModels extends RunningSubgraph {
  readonly files: GridFiles;
}

/** The key of `grid-models` by its environment variable. Migration compares its fingerprint with the stored one. */
export function namedGridModelsKeys(key: Buffer): NamedKeys {
  return { GRID_MODELS_KEY: key };
}

/** Uploads that one process receives or queues at the same time. It rejects further ones as `busy`. */
const MAX_CONCURRENT_UPLOADS = 5;

/**
 * Connections that only uploads use, so that reads of the graph and downloads never end a publication: its session, one for its statements,
 * and one for the addresses of further uploads.
 */
const PUBLISHING_CONNECTIONS = 3;

/** Starts the subgraph `grid-models`, which stores and serves published archives of difference models. */
export async function startGridModels(options: GridModelOptions): Promise<RunningGridModels> {
  const { databaseUrl, key, logger, clockOffsetSeconds } = options;
  const address = databaseAddress(databaseUrl, 'grid_models', key, options);
  const database = await openGridModels(address, key, clockOffsetSeconds !== undefined, logger);
  const max = address.connections.reserve(PUBLISHING_CONNECTIONS);
  const publishing = openPool({ ...sessionOptions(address), max }, () => database.reads.renew());
  const ofUploads = { ...database, pool: publishing };
  const dependencies = publishingDependencies(ofUploads, options.addedProfiles);
  const queue = publicationQueue(MAX_CONCURRENT_UPLOADS);
  const accounts = uploadingAccounts(options.access);
  const uploads = uploadsOf({ ...dependencies, accounts, queue, key, uploads: new UploadRepository(ofUploads) });
  const contents = contentStore(new ContentRepository(database.pool), key);
  const fileRequests = fileRequestLimit(database, options);
  const queries = gridModelQueries(database);
  const audit = new AuditLog(database.pool);
  const { schema } = await gridModelSchema({ contents, uploads, queries, fileRequests, audit });
  const stopCleanUp = startCleanUp(database, logger);
  return {
    link: localLink('grid-models', schema, logger, database.pool),
    files: gridFiles(contents, limitedUploads(uploads, fileRequests), logger),
    ready: () => isDatabaseReady(database),
    close: async () => {
      await stopCleanUp();
      await Promise.all([publishing.end(), database.close()]);
    },
  };
}

/** Prepares the schema, removes versions that crashed processes left staged, and returns what the command `publish-grid` calls. */
export async function openPublishing(address: DatabaseAddress, key: Buffer, addedProfiles?: Partial<MemberProfiles>) {
  const database = await openGridModels(address, key);
  for (const staged of [STAGED_VERSIONS, STAGED_BASES]) await removeAbandoned(database.pool, staged);
  const dependencies = publishingDependencies(database, addedProfiles);
  return {
    publishBase: (base: BaseModelKey, zipPath: string): Promise<BasePublicationOutcome> =>
      publishBase(dependencies, { ...base, accountId: null }, zipPath),
    publish: (publication: PublicationKey, zipPath: string): Promise<PublicationOutcome> =>
      publishArchive(dependencies, { ...publication, accountId: null }, zipPath),
    close: () => database.close(),
  };
}

async function openGridModels(
  address: DatabaseAddress,
  key: Buffer,
  movableClock?: boolean,
  logger?: Logger,
): Promise<Database> {
  await prepare(address, gridModelTables, movableClock, namedGridModelsKeys(key), logger);
  return openDatabase(address);
}

function publishingDependencies(
  database: Database,
  addedProfiles: Partial<MemberProfiles> | undefined,
): ReceivedDependencies {
  const { pool } = database;
  return {
    profiles: profilesWith(addedProfiles),
    warnings: new ModelWarningQueries(database),
    publications: new PublicationRepository(pool),
    baseModels: new BaseModelQueries(database),
    bases: new BaseModelRepository(pool),
    models: new StagedModelRepository(pool),
    contents: new ContentRepository(pool),
  };
}

/** The limit of the requests for files, queries and upload addresses that are `gone`, from one network. */
function fileRequestLimit(database: Database, { key, limits, rateLimitsOff }: GridModelOptions): RateLimit {
  const store = { pool: database.pool, schema: 'grid_models', hash: keyedHash(key, 'rate-limit'), off: rateLimitsOff };
  return rateLimit(store, 'grid-files', limits.gridFiles, 60);
}

/** Seconds between two runs of the clean-up. */
const SWEEP_INTERVAL_SECONDS = 60;

/** Periodically removes versions that crashed processes left staged, and expired upload addresses and rate limits. */
function startCleanUp(database: Database, logger: Logger): () => Promise<void> {
  const { pool } = database;
  const removal = (staged: StagedTable) => () => removeAbandoned(pool, staged);
  return stopAll([
    repeat(SWEEP_INTERVAL_SECONDS, removal(STAGED_VERSIONS), logger, 'removal of abandoned publications failed'),
    repeat(SWEEP_INTERVAL_SECONDS, removal(STAGED_BASES), logger, 'removal of abandoned base models failed'),
    purgePeriodically(
      pool,
      [new UploadRepository(database).purgeExpired, expiredRateLimits(pool)],
      SWEEP_INTERVAL_SECONDS,
      logger,
    ),
  ]);
}
