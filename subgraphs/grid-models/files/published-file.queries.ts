import { LRUCache } from 'lru-cache';
import type { Database } from '../../server/database/database';
import type { PublicationKey } from '../publications/publication-key';
import type { ContentEncoding, FileView, Member } from './content.repository';
import { rowsByKey } from '../../server/database/rows-by-key';

/** Identifies a version of a development project. */
interface VersionKey extends PublicationKey {
  readonly version: number;
}

/** A stored representation of a published file. */
export interface StoredRepresentation {
  /** The number of its content. */
  readonly content: number;
  readonly view: FileView;
  readonly encoding: ContentEncoding;
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly publishedAt: Date;
}

/** A published file. */
export interface StoredFile {
  readonly name: string;
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** A published file by version and member. */
interface StoredMember extends Omit<StoredFile, 'name'> {
  readonly versionId: string;
  readonly member: Member;
}

const REPRESENTATIONS = {
  name: 'representations',
  text: `select c.number as content, c.view, c.encoding, c.size, encode(c.sha256, 'hex') as sha256, v.published_at as "publishedAt"
    from development_project p
      join project_version v on v.project = p.id and v.version = $5
      join content c on c.project_version = v.id and c.member = $6
    where p.area = $1 and p.publication_year = $2::integer and p.period = $3 and p.project_id = $4
    order by c.number`,
};

const AS_PUBLISHED = {
  name: 'contents_as_published',
  text: `select project_version as "versionId", member, size, encode(sha256, 'hex') as sha256 from content
    where project_version = any($1::uuid[]) and view in ('rdf', 'zip') and encoding = 'identity'`,
};

/** Files whose representations are cached. */
const MAX_CACHED_FILES = 10_000;
/** A version never changes; the lifetime bounds how long one is served that a restored database does not have. */
const CACHE_TTL_MS = 30_000;

/** Queries for published files and their representations. */
export class PublishedFileQueries {
  private readonly cached = new LRUCache<string, readonly StoredRepresentation[]>({
    max: MAX_CACHED_FILES,
    ttl: CACHE_TTL_MS,
  });

  /** Returns the files and the archive of a version, as published. */
  readonly stored: (versionId: string) => Promise<readonly StoredMember[]>;

  constructor(private readonly database: Pick<Database, 'reads'>) {
    this.stored = rowsByKey(database.reads, AS_PUBLISHED, ({ versionId }: StoredMember) => [versionId] as const);
  }

  /**
   * Returns every representation of a file or archive; empty if the version does not exist. That is not cached, because the version may be
   * published at any time.
   */
  async representations(key: VersionKey, member: Member): Promise<readonly StoredRepresentation[]> {
    const { area, publicationYear, period, projectId, version } = key;
    const values = [area, publicationYear, period, projectId, version, member];
    const name = values.join('/');
    const known = this.cached.get(name);
    if (known !== undefined) return known;
    const stored = await this.database.reads.rows<StoredRepresentation>(REPRESENTATIONS, values);
    if (stored.length > 0) this.cached.set(name, stored);
    return stored;
  }
}
