import type { Pool } from 'pg';
import type { Database } from '../../server/database/database';
import { type Purge, expiredRows } from '../../server/retention';
import type { BaseModelKey } from './publication-key';

/** Minutes within which the first upload must start. */
const VALID_MINUTES = 10;
/** Hours within which the next upload must start: the largest base model arrives and is stored meanwhile. */
const EXTENSION_HOURS = 2;
/** Hours after which no upload extends an address. */
const MAX_VALID_HOURS = 24;

/** Days for which an expired address still returns the version published at it. */
const RETENTION_DAYS = 1;
const EXPIRED = {
  table: 'upload',
  column: 'expires_at',
  through: `register_now() - make_interval(days => ${RETENTION_DAYS})`,
};

/** Publication that an address permits: a version of a project, or, if `projectId` is null, a base model. */
export interface UploadKey extends BaseModelKey {
  readonly projectId: string | null;
}

/** An upload address: what may be published at it, and what has been. */
export interface UploadAddress {
  readonly key: UploadKey;
  /** Account of the admin who requested it. */
  readonly accountId: string;
  readonly isExpired: boolean;
  /** Internal id of the version or base model that was published at it, and the SHA-256 of its archive. */
  readonly used: { readonly id: string; readonly archiveSha256: Buffer } | null;
}

/** The upload address at which an archive arrives. */
export interface ArchiveUpload {
  readonly tokenHash: Buffer;
  /** Returns false if the account of the address may no longer publish. */
  isPermitted(): Promise<boolean>;
}

/** Stores upload addresses by the hash of their token. */
export class UploadRepository {
  /** Deletes addresses whose retention has ended. */
  readonly purgeExpired: Purge;

  constructor(private readonly database: Pick<Database, 'pool' | 'reads'>) {
    this.purgeExpired = expiredRows(database.pool, EXPIRED);
  }

  /** Adds an address. Returns when it expires. */
  async add(tokenHash: Buffer, key: UploadKey, accountId: string): Promise<Date> {
    const { rows } = await this.database.pool.query<{ expiresAt: Date }>(
      `insert into upload (token_hash, area, publication_year, period, project_id, account_id, expires_at)
       values ($1, $2, $3, $4, $5, $6, register_now() + make_interval(mins => ${VALID_MINUTES})) returning expires_at as "expiresAt"`,
      [tokenHash, key.area, key.publicationYear, key.period, key.projectId, accountId],
    );
    return (rows[0] as { expiresAt: Date }).expiresAt;
  }

  /** Extends an address that is not expired, so that an upload which starts now can be repeated if its connection breaks. */
  async extend(tokenHash: Buffer): Promise<void> {
    await this.database.pool.query(
      `update upload set expires_at = greatest(expires_at, least(register_now() + make_interval(hours => ${EXTENSION_HOURS}),
         prepared_at + make_interval(hours => ${MAX_VALID_HOURS})))
       where token_hash = $1 and expires_at > register_now() and archive_sha256 is null`,
      [tokenHash],
    );
  }

  /** Returns an address. Anyone may request unknown ones, so it uses none of the connections that publish. */
  async byToken(tokenHash: Buffer): Promise<UploadAddress | undefined> {
    const [row] = await this.database.reads.rows<UploadRow>(BY_TOKEN, [tokenHash]);
    if (row === undefined) return undefined;
    const { isExpired, id, archiveSha256, accountId, ...key } = row;
    const used = id !== null && archiveSha256 !== null ? { id, archiveSha256 } : null;
    return { key, accountId, isExpired, used };
  }
}

const BY_TOKEN = {
  name: 'upload_by_token',
  text: `select area, publication_year as "publicationYear", period, project_id as "projectId", account_id as "accountId",
      expires_at <= register_now() as "isExpired", coalesce(project_version, base_model) as id, archive_sha256 as "archiveSha256"
    from upload where token_hash = $1`,
};

interface UploadRow extends UploadKey {
  readonly accountId: string;
  readonly isExpired: boolean;
  readonly id: string | null;
  readonly archiveSha256: Buffer | null;
}

/** Column that stores what was published at an address. */
type UsedColumn = 'project_version' | 'base_model';

/** Locks an address. Returns false if something has been published at it. */
export async function isUnused(session: Pick<Pool, 'query'>, tokenHash: Buffer): Promise<boolean> {
  const { rowCount } = await session.query(
    'select from upload where token_hash = $1 and archive_sha256 is null for update',
    [tokenHash],
  );
  return rowCount === 1;
}

/** Marks an address as used for an archive. */
export async function useUpload(
  session: Pick<Pool, 'query'>,
  tokenHash: Buffer,
  column: UsedColumn,
  used: { readonly id: string; readonly archiveSha256: Buffer },
): Promise<void> {
  await session.query(`update upload set ${column} = $2, archive_sha256 = $3 where token_hash = $1`, [
    ...[tokenHash, used.id, used.archiveSha256],
  ]);
}
