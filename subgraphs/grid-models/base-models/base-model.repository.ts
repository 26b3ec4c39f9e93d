import type { Pool, PoolClient } from 'pg';
import { inTransaction, onlyRow } from '../../server/database/transaction';
import { auditPublication } from '../publications/publication-audit.repository';
import { STAGED_BASES } from '../publications/staged-removal.repository';
import { openStaging } from '../publications/staging.repository';
import { type ArchiveUpload, isUnused, useUpload } from '../publications/upload.repository';
import type { CimFile, DifferenceItem } from '../rdf/difference-model';
import type { BaseModelKey } from '../publications/publication-key';
import type { DigestedBaseFile, StoredBaseModel } from './base-model';

/** An item with its position in the file, from 1. */
export interface NumberedItem {
  readonly number: number;
  readonly item: DifferenceItem;
}

/** An archive to publish as a base model. */
export interface BasePublicationRequest {
  readonly key: BaseModelKey;
  /** Account of the admin who uploads it; null for a command of the operator. */
  readonly accountId: string | null;
  readonly archiveSha256: Buffer;
  /** Its upload address; null for a command of the operator. */
  readonly upload: ArchiveUpload | null;
}

/** The published or repeated base model; `gone` if its upload address permits no publication any more. */
export type BasePublicationResult = { readonly isNew: boolean; readonly base: StoredBaseModel } | 'gone';

/** A base model being staged. */
interface StagedBaseModel {
  readonly number: number;
  /** Makes it visible under the next number, or returns the newest base model if that has the same archive. One short transaction. */
  publish(): Promise<BasePublicationResult>;
  /** Deletes it unless it is published, and releases the session. On an error, the clean-up job deletes it later. */
  end(): Promise<void>;
}

/** Stages and publishes base models. Each statement that adds rows is a separate, short transaction. */
export class BaseModelRepository {
  constructor(private readonly pool: Pool) {}

  /** Returns the newest base model of the cycle if it was published from this archive. */
  async repeated(request: BasePublicationRequest): Promise<BasePublicationResult | undefined> {
    return inTransaction(this.pool, (session) => publishOrRepeat(session, request, null));
  }

  /** Returns a published base model by its internal id. */
  async byId(id: string): Promise<StoredBaseModel | undefined> {
    return (await this.pool.query<StoredBaseModel>(BY_ID, [id])).rows[0];
  }

  /** Starts to stage a base model. The session that holds its lock also publishes it: if that session is lost, nothing is published. */
  async stage(request: BasePublicationRequest): Promise<StagedBaseModel> {
    const { key, accountId, archiveSha256 } = request;
    const cycle = [key.area, key.publicationYear, key.period];
    const staging = await openStaging(this.pool, STAGED_BASES, (session, id) =>
      session.query<{ number: number }>(INSERT_BASE, [id, ...cycle, accountId, archiveSha256]).then(onlyRow),
    );
    const { number } = staging.row;
    const publish = () => staging.inTransaction((session) => publishOrRepeat(session, request, number));
    return { number, publish: async () => (await publish()) as BasePublicationResult, end: () => staging.end() };
  }

  async addFile(base: number, { file, header, items, statements, sha256 }: DigestedBaseFile): Promise<void> {
    await this.pool.query(INSERT_FILE, [
      ...[base, file, header.mRID, header.created, header.scenarioTime, header.modelingAuthoritySet, header.profile],
      ...[header.description, header.version, header.dependentOn, header.supersedes, items, statements, sha256],
    ]);
  }

  /** Adds items, and their associations to the index of targets. */
  async addItems(base: number, file: CimFile, items: readonly NumberedItem[]): Promise<void> {
    const records = items.map(({ number, item: { mRID, type, isObject, statements } }) => ({
      ...{ number, mrid: mRID, type, is_object: isObject },
      statements: statements.map(({ name, kind, value }) => [name, kind, value]),
    }));
    await this.pool.query(INSERT_ITEMS, [base, file, JSON.stringify(records)]);
  }

  async addChunk(base: number, number: number, bytes: Buffer): Promise<void> {
    await this.pool.query('insert into base_chunk (base, number, bytes) values ($1, $2, $3)', [base, number, bytes]);
  }
}

/**
 * SQL: the key of the advisory lock on the base models of an area, which is taken before all other locks. A publication of a base model holds
 * it until its commit, one of a project shares it.
 */
export const BASES_LOCK = `hashtextextended('base ' || $1::text, 1)`;

/**
 * Returns the newest base model if the archive repeats it, else publishes the staged one as the next; undefined if nothing is staged. A
 * transaction lock admits one publication per area at a time.
 */
async function publishOrRepeat(
  session: PoolClient,
  { key: { area, publicationYear, period }, accountId, archiveSha256, upload }: BasePublicationRequest,
  staged: number | null,
): Promise<BasePublicationResult | undefined> {
  await session.query(`select pg_advisory_xact_lock(${BASES_LOCK})`, [area]);
  if (upload && !(await isUnused(session, upload.tokenHash))) return 'gone';
  const newest = await session.query<StoredBaseModel>(NEWEST_IF_SAME, [area, publicationYear, period, archiveSha256]);
  const [repeated] = newest.rows;
  if (repeated === undefined && staged === null) return undefined;
  const key = [area, publicationYear, period];
  const base = repeated ?? onlyRow(await session.query<StoredBaseModel>(PUBLISH, [staged, ...key]));
  if (repeated === undefined) {
    const published = { accountId, key, version: base.version, archiveSha256 };
    await auditPublication(session, 'publish-base-model', published);
  }
  if (upload) await useUpload(session, upload.tokenHash, 'base_model', { id: base.id, archiveSha256 });
  return { isNew: repeated === undefined, base };
}

/** Columns of {@link StoredBaseModel}. */
export const BASE_COLUMNS = `id, number, area, publication_year as "publicationYear", period, version, published_at as "publishedAt"`;

const BY_ID = `select ${BASE_COLUMNS} from base_model where id = $1 and version is not null`;

const NEWEST_IF_SAME = `select ${BASE_COLUMNS} from (
    select * from base_model where area = $1 and publication_year = $2 and period = $3 and version is not null
    order by version desc limit 1) as newest
  where archive_sha256 = $4`;

const INSERT_BASE = `insert into base_model (id, area, publication_year, period, account_id, archive_sha256)
  values ($1, $2, $3, $4, $5, $6) returning number`;

const PUBLISH = `update base_model set published_at = register_now(), version = 1 + coalesce((
    select max(version) from base_model where area = $2 and publication_year = $3 and period = $4), 0)
  where number = $1 returning ${BASE_COLUMNS}`;

const INSERT_FILE = `insert into base_file (base, file, mrid, created, scenario_time, modeling_authority_set, profile, description,
    model_version, dependent_on, supersedes, items, statements, sha256)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;

const INSERT_ITEMS = `
  with given as materialized (
    select * from jsonb_to_recordset($3::jsonb) as given (number integer, mrid text, type text, is_object boolean, statements jsonb)),
  items as (
    insert into base_item (base, file, number, mrid, type, is_object, statements)
    select $1::integer, $2, number, mrid, type, is_object, statements from given)
  insert into base_reference (base, target_key, file, item)
  select distinct $1::integer, lower(statement ->> 2), $2, number
  from given, jsonb_array_elements(statements) as statement where statement ->> 1 = 'association'`;
