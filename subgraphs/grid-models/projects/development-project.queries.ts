import { isUuid } from '../../../schema/identifiers';
import { type ConnectionWithTotal, type PageRequest, withTotal, requirePageSize } from '../../server/lists/connection';
import { countRows, newestFirst } from '../../server/lists/paged-list';
import type { Database } from '../../server/database/database';
import type { PublicationPeriod, PublicationKey } from '../publications/publication-key';
import { rowsByKey } from '../../server/database/rows-by-key';

/** A stored development project of one publication cycle. */
export interface StoredProject extends PublicationKey {
  readonly id: string;
  readonly latestVersion: number;
}

/** Conditions on projects; null means no condition. */
interface ProjectFilter {
  readonly area: string | null;
  readonly publicationYear: number | null;
  readonly period: PublicationPeriod | null;
  readonly projectId: string | null;
}

/** A page of projects. */
export type ProjectPage = ConnectionWithTotal<StoredProject>;

/** Entries in a page. */
export const MAX_PAGE_SIZE = 500;

const COLUMNS = `id, area, publication_year as "publicationYear", period, project_id as "projectId",
  latest_version as "latestVersion"`;

const BY_ID = {
  name: 'projects_by_id',
  text: `select ${COLUMNS} from development_project where id = any($1::uuid[]) and latest_version is not null`,
};

const BY_KEY = {
  name: 'project_by_key',
  text: `select ${COLUMNS} from development_project where area = $1 and publication_year = $2::integer and period = $3 and project_id = $4
    and latest_version is not null`,
};

const CONDITIONS = [
  ['area', 'area', 'text'],
  ['publicationYear', 'publication_year', 'integer'],
  ['period', 'period', 'text'],
  ['projectId', 'project_id', 'text'],
] as const satisfies readonly [keyof ProjectFilter, string, string][];

/** Builds one statement per set of conditions, so that each prepared plan uses the index for these conditions. */
function listOf(filter: ProjectFilter) {
  const present = CONDITIONS.filter(([field]) => filter[field] !== null);
  const where = present.map(([, column, type], index) => `${column} = $${index + 1}::${type}`);
  const list = {
    name: `projects_${present.map(([field]) => field).join('_')}`,
    columns: COLUMNS,
    from: 'development_project',
    where: ['latest_version is not null', ...where].join(' and '),
    instant: 'latest_published_at',
    id: 'id',
  };
  return { list, values: present.map(([field]) => filter[field]) };
}

/** Queries for published development projects. */
export class DevelopmentProjectQueries {
  private readonly rowsById: (id: string) => Promise<readonly StoredProject[]>;

  constructor(private readonly database: Database) {
    this.rowsById = rowsByKey(database.reads, BY_ID, ({ id }: StoredProject) => [id] as const);
  }

  /** Returns a project by its internal id. */
  async byId(id: string): Promise<StoredProject | null> {
    return isUuid(id) ? ((await this.rowsById(id.toLowerCase()))[0] ?? null) : null;
  }

  /** Returns a project by licence area, year, cycle and project identifier. */
  async byKey({ area, publicationYear, period, projectId }: PublicationKey): Promise<StoredProject | null> {
    const [row] = await this.database.reads.rows<StoredProject>(BY_KEY, [area, publicationYear, period, projectId]);
    return row ?? null;
  }

  /** Returns a page of projects, newest publication first; counts the list by scanning an index. */
  async page(filter: ProjectFilter, page: PageRequest): Promise<ProjectPage> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    const { list, values } = listOf(filter);
    const { pool } = this.database;
    const listed = await newestFirst(pool, list, values, page, (row: StoredProject) => row);
    return withTotal(listed, () => countRows(pool, list, values));
  }
}
