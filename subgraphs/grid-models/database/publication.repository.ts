import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { inTransaction, inTransactionOf } from '../../server/transaction';
import { type PublicationPlace, archiveName } from '../domain/publication-place';
import type { Publication, PublishedVersion } from '../publishing/publish';
import { HOLD_STAGED, removeStaged } from './staged-removal.repository';

/** What makes an archive a repeat of another one, and what is published with its upload. */
export interface ArchiveDigests {
  /** SHA-256 of the archive. */
  readonly archive: Buffer;
  /** SHA-256 of EQ.xml, SC.xml and GL.xml. */
  readonly members: readonly Buffer[];
}

/** What is to be published: where, by whom, what, and at which upload address if at one (its token's hash). */
export interface Settling {
  readonly publication: Publication;
  readonly digests: ArchiveDigests;
  readonly upload: Buffer | null;
}

/** What it comes to; `used` when the upload address has served meanwhile. */
export type Settlement = { readonly isNew: boolean; readonly version: PublishedVersion } | 'used';

/** A version while it is staged: held by a session of its process, so that nobody takes it for left. */
export interface Staging {
  readonly id: string;
  /** Makes the version visible under the next number, or finds that it repeats the newest: in one short transaction. */
  publish(settling: Settling): Promise<Settlement>;
  /** Removes what was not published, and lets go. What cannot be removed now is left, and removed with all that is. */
  end(): Promise<void>;
}

/** Versions, from the first row that is staged to their publication. */
export class PublicationRepository {
  constructor(private readonly pool: Pool) {}

  /** The newest version of the project if this archive repeats it. */
  async repeated(settling: Settling): Promise<Settlement | undefined> {
    return inTransaction(this.pool, (session) => settled(session, settling, null));
  }

  /** A published version by its id. */
  async byId(id: string): Promise<PublishedVersion | undefined> {
    return (await versions(this.pool, 'where v.id = $1 and v.version is not null', [id]))[0]?.version;
  }

  /** Begins to stage a version. The session that holds it is the one that publishes it: if it is lost, nothing is published. */
  async stage(accountId: string | null, archiveSha256: Buffer): Promise<Staging> {
    const id = randomUUID();
    const session = await this.pool.connect();
    let broken: Error | undefined;
    const onBroken = (failure: Error) => (broken ??= failure);
    try {
      await session.query(`select pg_advisory_lock(${HOLD_STAGED})`, [id]);
      await session.query('insert into project_version (id, account_id, archive_sha256) values ($1, $2, $3)', [
        ...[id, accountId, archiveSha256],
      ]);
    } catch (error) {
      session.release(error as Error);
      throw error;
    }
    return {
      id,
      publish: async (settling) =>
        (await inTransactionOf(session, () => settled(session, settling, id), onBroken)) as Settlement,
      end: async () => {
        try {
          await removeStaged(session, id);
          await session.query(`select pg_advisory_unlock(${HOLD_STAGED})`, [id]);
        } catch (error) {
          onBroken(error as Error);
        }
        session.release(broken);
      },
    };
  }
}

/** Decides, alone for the project, what becomes of an archive: a repeat of the newest, or the next version if it is staged. */
async function settled(
  session: PoolClient,
  { publication, digests, upload }: Settling,
  staged: string | null,
): Promise<Settlement | undefined> {
  const { area, publicationYear, period, projectId } = publication;
  const place = [area, publicationYear, period, projectId];
  await session.query('select pg_advisory_xact_lock(hashtextextended($1, 1))', [place.join(' ')]);
  if (upload && !(await isUnused(session, upload))) return 'used';
  const [newest] = await versions(session, `${OF_PLACE} order by v.version desc limit 1`, place);
  const repeats = newest !== undefined && isSame(newest.members, digests.members);
  if (!repeats) {
    if (staged === null) return undefined;
    await session.query(INSERT_PROJECT, place);
    await session.query(PUBLISH, [staged, (newest?.version.version ?? 0) + 1, ...place]);
  }
  const id = repeats ? newest.version.id : (staged as string);
  if (upload) await session.query(USE_UPLOAD, [upload, id, digests.archive]);
  const [now] = repeats ? [newest] : await versions(session, 'where v.id = $1', [id]);
  return { isNew: !repeats, version: (now as StandingVersion).version };
}

async function isUnused(session: PoolClient, upload: Buffer): Promise<boolean> {
  const { rowCount } = await session.query(
    'select from upload where token_hash = $1 and project_version is null for update',
    [upload],
  );
  return rowCount === 1;
}

const isSame = (some: readonly Buffer[], others: readonly Buffer[]): boolean =>
  some.length === others.length && some.every((digest, index) => digest.equals(others[index] as Buffer));

/** A published version with the digests of its members. */
interface StandingVersion {
  readonly version: PublishedVersion;
  readonly members: readonly Buffer[];
}

interface VersionRow extends PublicationPlace {
  readonly id: string;
  readonly version: number;
  readonly publishedAt: Date;
  readonly size: number;
  readonly sha256: string;
  readonly members: Buffer[];
}

async function versions(session: Pick<Pool, 'query'>, which: string, values: unknown[]): Promise<StandingVersion[]> {
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

const OF_PLACE = 'where p.area = $1 and p.publication_year = $2 and p.period = $3 and p.project_id = $4';

const INSERT_PROJECT = `insert into development_project (area, publication_year, period, project_id) values ($1, $2, $3, $4)
  on conflict do nothing`;

const PUBLISH = `update project_version set version = $2, published_at = register_now(), project = (
    select id from development_project p where p.area = $3 and p.publication_year = $4 and p.period = $5 and p.project_id = $6)
  where id = $1`;

const USE_UPLOAD = 'update upload set project_version = $2, archive_sha256 = $3 where token_hash = $1';
