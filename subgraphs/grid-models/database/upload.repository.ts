import type { Pool } from 'pg';
import { type Forget, passedRows } from '../../server/retention';
import type { PublicationPeriod, PublicationPlace } from '../domain/publication-place';
import type { Publication } from '../publishing/publish';

/** Minutes in which an upload may begin. */
const VALID_MINUTES = 10;

/** Days for which an address that is over answers what it was used for. */
const KEPT_DAYS = 1;
const PASSED = `upload where expires_at < register_now() - make_interval(days => ${KEPT_DAYS})`;

/** What an upload address is for; and what it was used for, if it was. */
export interface UploadAddress {
  readonly publication: Publication;
  readonly isExpired: boolean;
  readonly used: { readonly projectVersion: string; readonly archiveSha256: Buffer } | null;
}

/** Upload addresses by the hashes of their tokens. */
export class UploadRepository {
  /** Forgets addresses that are over. */
  readonly forget: Forget;

  constructor(private readonly pool: Pick<Pool, 'query'>) {
    this.forget = passedRows(pool, 'upload', PASSED);
  }

  /** Adds an address; answers when it expires. */
  async add(tokenHash: Buffer, place: PublicationPlace, accountId: string): Promise<Date> {
    const { rows } = await this.pool.query<{ expiresAt: Date }>(
      `insert into upload (token_hash, area, publication_year, period, project_id, account_id, expires_at)
       values ($1, $2, $3, $4, $5, $6, register_now() + make_interval(mins => ${VALID_MINUTES})) returning expires_at as "expiresAt"`,
      [tokenHash, place.area, place.publicationYear, place.period, place.projectId, accountId],
    );
    return (rows[0] as { expiresAt: Date }).expiresAt;
  }

  async byToken(tokenHash: Buffer): Promise<UploadAddress | undefined> {
    const { rows } = await this.pool.query<UploadRow>(
      `select area, publication_year as "publicationYear", period, project_id as "projectId", account_id as "accountId",
         expires_at <= register_now() as "isExpired", project_version as "projectVersion", archive_sha256 as "archiveSha256"
       from upload where token_hash = $1`,
      [tokenHash],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    const { isExpired, projectVersion, archiveSha256, ...publication } = row;
    const used = projectVersion !== null && archiveSha256 !== null ? { projectVersion, archiveSha256 } : null;
    return { publication, isExpired, used };
  }
}

interface UploadRow extends Publication {
  readonly period: PublicationPeriod;
  readonly isExpired: boolean;
  readonly projectVersion: string | null;
  readonly archiveSha256: Buffer | null;
}
