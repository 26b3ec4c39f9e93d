import { isUuid } from '../../../schema/identifiers';
import type { Database } from '../../server/database/database';
import { rowsByKey } from '../../server/database/rows-by-key';

/** A stored, published version of a development project. */
export interface StoredVersion {
  readonly id: string;
  /** Internal id of the project. */
  readonly project: string;
  readonly version: number;
  readonly publishedAt: Date;
  /** Number of points without an association to a location. */
  readonly unplacedPoints: number;
}

const COLUMNS = 'v.id, v.project, v.version, v.published_at as "publishedAt", v.unplaced_points as "unplacedPoints"';

const BY_ID = {
  name: 'versions_by_id',
  text: `select ${COLUMNS} from project_version v where v.id = any($1::uuid[]) and v.version is not null`,
};

const BY_NUMBER = {
  name: 'versions_by_number',
  text: `select ${COLUMNS} from unnest($1::uuid[], $2::integer[]) wanted (project, version)
    join project_version v on v.project = wanted.project and v.version = wanted.version`,
};

const OF_PROJECT = {
  name: 'versions_of_project',
  text: `select ${COLUMNS} from project_version v where v.project = any($1::uuid[]) and v.version is not null
    order by v.version desc`,
};

/** Queries for published versions. They exclude versions that are only staged. */
export class ProjectVersionQueries {
  private readonly rowsById: (id: string) => Promise<readonly StoredVersion[]>;
  private readonly rowsByNumber: (project: string, version: number) => Promise<readonly StoredVersion[]>;
  /** All versions of a project, newest first. */
  readonly allOfProject: (project: string) => Promise<readonly StoredVersion[]>;

  constructor({ reads }: Pick<Database, 'reads'>) {
    this.rowsById = rowsByKey(reads, BY_ID, ({ id }: StoredVersion) => [id] as const);
    this.rowsByNumber = rowsByKey(reads, BY_NUMBER, (row: StoredVersion) => [row.project, row.version] as const);
    this.allOfProject = rowsByKey(reads, OF_PROJECT, ({ project }: StoredVersion) => [project] as const);
  }

  /** Returns a version by its internal id. */
  async byId(id: string): Promise<StoredVersion | null> {
    return isUuid(id) ? ((await this.rowsById(id))[0] ?? null) : null;
  }

  /** Returns a version by its number in a project. */
  async ofProject(project: string, version: number): Promise<StoredVersion | null> {
    return (await this.rowsByNumber(project, version))[0] ?? null;
  }
}
