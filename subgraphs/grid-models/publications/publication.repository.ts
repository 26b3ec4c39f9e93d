import type { Pool, PoolClient } from 'pg';
import { inTransaction, onlyRow } from '../../server/database/transaction';
import { applicableBase } from '../base-models/base-model.queries';
import { BASES_LOCK } from '../base-models/base-model.repository';
import { type PublicationKey, archiveName } from './publication-key';
import { auditPublication } from './publication-audit.repository';
import { STAGED_VERSIONS } from './staged-removal.repository';
import { openStaging } from './staging.repository';
import { type ArchiveUpload, isUnused, useUpload } from './upload.repository';
import type { Publication, PublishedVersion } from './publication';

/** Digests of an archive. An archive with the same member digests as the newest version repeats it. */
interface ArchiveDigests {
  /** SHA-256 of the archive. */
  readonly archive: Buffer;
  /** SHA-256 of EQ.xml, SC.xml and GL.xml. */
  readonly members: readonly Buffer[];
}

/** An archive to publish. */
export interface PublicationRequest {
  readonly publication: Publication;
  readonly digests: ArchiveDigests;
  /** Its upload address; null for a command of the operator. */
  readonly upload: ArchiveUpload | null;
}

/** The published or repeated version; `gone` if its upload address permits no publication any more. */
export type PublicationResult = { readonly isNew: boolean; readonly version: PublishedVersion } | 'gone';

/** A version being staged. */
interface StagedVersion {
  readonly id: string;
  /**
   * Makes the version visible under the next number, or returns the newest version if the archive repeats it. One short transaction. Returns
   * `restage` if another base model applies by now than the one with this number (or none), with which the version was staged.
   */
  publish(request: PublicationRequest, base: number | null): Promise<PublicationResult | 'restage'>;
  /** Deletes the version unless it is published, and releases the session. On an error, the clean-up job deletes it later. */
  end(): Promise<void>;
}

/** Stages and publishes versions. */
export class PublicationRepository {
  constructor(private readonly pool: Pool) {}

  /** Returns the newest version of the project if the archive repeats it. */
  async repeated(request: PublicationRequest): Promise<PublicationResult | undefined> {
    return inTransaction(this.pool, (session) => publishOrRepeat(session, request, null));
  }

  /** Returns a published version by its internal id. */
  async byId(id: string): Promise<PublishedVersion | undefined> {
    return (await versions(this.pool, 'where v.id = $1 and v.version is not null', [id]))[0]?.version;
  }

  /** Starts to stage a version. The session that holds its lock also publishes it: if that session is lost, nothing is published. */
  async stage(accountId: string | null, archiveSha256: Buffer): Promise<StagedVersion> {
    const staging = await openStaging(this.pool, STAGED_VERSIONS, (session, id) =>
      session.query(INSERT_VERSION, [id, accountId, archiveSha256]),
    );
    return {
      id: staging.id,
      publish: (request, base) =>
        staging.inTransaction(async (session) =>
          (await isApplicable(session, request.publication, base))
            ? ((await publishOrRepeat(session, request, staging.id)) as PublicationResult)
            : 'restage',
        ),
      end: () => staging.end(),
    };
  }
}

/** Returns whether a base model, or none, applies to a project. No other one is published before the end of the transaction. */
async function isApplicable(session: PoolClient, publication: Publication, base: number | null): Promise<boolean> {
  const { area, publicationYear, period } = publication;
  await session.query(`select pg_advisory_xact_lock_shared(${BASES_LOCK})`, [area]);
  const { rows } = await session.query<{ number: number }>(APPLICABLE, [area, publicationYear, period]);
  return (rows[0]?.number ?? null) === base;
}

/**
 * Returns the newest version if the archive repeats it, else publishes the staged version as the next one; undefined if nothing is staged.
 * A transaction lock admits one publication per project at a time.
 */
async function publishOrRepeat(
  session: PoolClient,
  { publication, digests, upload }: PublicationRequest,
  staged: string | null,
): Promise<PublicationResult | undefined> {
  const { area, publicationYear, period, projectId } = publication;
  const key = [area, publicationYear, period, projectId];
  await session.query('select pg_advisory_xact_lock(hashtextextended($1, 1))', [key.join(' ')]);
  if (upload && !(await isUnused(session, upload.tokenHash))) return 'gone';
  const [newest] = await versions(session, `${BY_KEY} order by v.version desc limit 1`, key);
  const repeats = newest !== undefined && isSame(newest.members, digests.members);
  if (!repeats) {
    if (staged === null) return undefined;
    await session.query(INSERT_PROJECT, key);
    const version = (newest?.version.version ?? 0) + 1;
    const { accountId } = onlyRow(
      await session.query<{ accountId: string | null }>(PUBLISH, [staged, version, ...key]),
    );
    const archive = { accountId, key, version, archiveSha256: digests.archive };
    await auditPublication(session, 'publish-project-version', archive);
  }
  const id = repeats ? newest.version.id : (staged as string);
  if (upload) await useUpload(session, upload.tokenHash, 'project_version', { id, archiveSha256: digests.archive });
  const [published] = repeats ? [newest] : await versions(session, 'where v.id = $1', [id]);
  return { isNew: !repeats, version: (published as VersionWithDigests).version };
}

const isSame = (some: readonly Buffer[], others: readonly Buffer[]): boolean =>
  some.length === others.length && some.every((digest, index) => digest.equals(others[index] as Buffer));

/** A published version with the digests of its members. */
interface VersionWithDigests {
  readonly version: PublishedVersion;
  readonly members: readonly Buffer[];
}

interface VersionRow extends PublicationKey {
  readonly id: string;
  readonly version: number;
  readonly publishedAt: Date;
  readonly size: number;
  readonly sha256: string;
  readonly members: Buffer[];
}

async function versions(session: Pick<Pool, 'query'>, which: string, values: unknown[]): Promise<VersionWithDigests[]> {
  const { rows } = await session.query<VersionRow>(`${VERSIONS} ${which}`, values);
  return rows.map(({ size, sha256, members, ...version }) => ({
    version: { ...version, archive: { name: archiveName(version, version.version), size, sha256 } },
    members,
  }));
}

const VERSIONS = `
  select v.id, p.area, p.publication_year as "publicationYear", p.period, p.project_id as "projectId", v.version,
    v.published_at as "publishedAt", archive.size, encode(archive.sha256, 'hex') as sha256,
    array(select c.sha256 from unnest(array['EQ', 'SC', 'GL']) with ordinality as file (member, position)
      join content c on c.project_version = v.id and c.member = file.member and c.view = 'rdf' and c.encoding = 'identity'
      order by file.position) as members
  from project_version v join development_project p on p.id = v.project
  join content archive on archive.project_version = v.id and archive.member = 'archive'`;

const BY_KEY = 'where p.area = $1 and p.publication_year = $2 and p.period = $3 and p.project_id = $4';

const APPLICABLE = applicableBase('number', '$1', '$2::integer', '$3');

const INSERT_VERSION = 'insert into project_version (id, account_id, archive_sha256) values ($1, $2, $3)';

const INSERT_PROJECT = `insert into development_project (area, publication_year, period, project_id) values ($1, $2, $3, $4)
  on conflict do nothing`;

const PUBLISH = `update project_version set version = $2, published_at = register_now(), project = (
    select id from development_project p where p.area = $3 and p.publication_year = $4 and p.period = $5 and p.project_id = $6)
  where id = $1 returning account_id as "accountId"`;
