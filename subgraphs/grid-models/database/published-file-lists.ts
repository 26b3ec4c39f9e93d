import type { Database } from '../../server/database';
import type { CimFile } from '../domain/difference-model';
import type { PublicationPlace } from '../domain/publication-place';
import type { ContentEncoding, FileView } from '../domain/published-file';
import { rowsByKey } from '../../server/rows-by-key';

/** What is stored of a version: each file, and the archive with all of them. */
export type Member = CimFile | 'archive';

/** A version by where and as what it is published. */
export interface VersionPlace extends PublicationPlace {
  readonly version: number;
}

/** A form of a published file. */
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

/** A file as it was published. */
export interface StoredFile {
  readonly name: string;
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** The same by the member that it is of. */
export interface StoredMember extends Omit<StoredFile, 'name'> {
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

/** Published files and their stored forms. */
export class PublishedFileLists {
  /** Files and archive of a version as they were published. */
  readonly stored: (versionId: string) => Promise<readonly StoredMember[]>;

  constructor(private readonly database: Pick<Database, 'reads'>) {
    this.stored = rowsByKey(database.reads, AS_PUBLISHED, ({ versionId }: StoredMember) => [versionId] as const);
  }

  /** Every form of a file or the archive of a version; none when there is no such version. */
  representations(place: VersionPlace, member: Member): Promise<StoredRepresentation[]> {
    const { area, publicationYear, period, projectId, version } = place;
    const values = [area, publicationYear, period, projectId, version, member];
    return this.database.reads.rows<StoredRepresentation>(REPRESENTATIONS, values);
  }
}
