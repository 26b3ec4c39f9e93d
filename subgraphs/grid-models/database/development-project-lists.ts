import { isUuid } from '../../../schema/identifiers';
import {
  type CountedConnection,
  type PageRequest,
  connectionOf,
  counted,
  cursorOf,
  cursorPosition,
  instantText,
  requirePageSize,
} from '../../server/connection';
import type { Database } from '../../server/database';
import type { PublicationPeriod, PublicationPlace } from '../domain/publication-place';
import { rowsByKey } from '../../server/rows-by-key';

/** A development project of one cycle, as it is stored. */
export interface StoredProject extends PublicationPlace {
  readonly id: string;
  readonly latestVersion: number;
}

/** Which projects; null leaves a condition out. */
export interface ProjectFilter {
  readonly area: string | null;
  readonly publicationYear: number | null;
  readonly period: PublicationPeriod | null;
  readonly projectId: string | null;
}

/** A page of projects. */
export type ProjectPage = CountedConnection<StoredProject>;

type ListedProject = StoredProject & { readonly instant: string };

/** Entries of a page at most. */
export const LARGEST_PAGE = 500;

const COLUMNS = `id, area, publication_year as "publicationYear", period, project_id as "projectId",
  latest_version as "latestVersion"`;

const BY_ID = {
  name: 'projects_by_id',
  text: `select ${COLUMNS} from development_project where id = any($1::uuid[]) and latest_version is not null`,
};

const BY_PLACE = {
  name: 'project_by_place',
  text: `select ${COLUMNS} from development_project where area = $1 and publication_year = $2::integer and period = $3 and project_id = $4
    and latest_version is not null`,
};

const CONDITIONS = [
  ['area', 'area', 'text'],
  ['publicationYear', 'publication_year', 'integer'],
  ['period', 'period', 'text'],
  ['projectId', 'project_id', 'text'],
] as const satisfies readonly [keyof ProjectFilter, string, string][];

/** One statement for each set of conditions, so that each keeps a plan of its own index. */
function conditionsOf(filter: ProjectFilter, firstParameter: number) {
  const given = CONDITIONS.filter(([field]) => filter[field] !== null);
  const where = given.map(([, column, type], index) => `${column} = $${index + firstParameter}::${type}`);
  return {
    name: given.map(([field]) => field).join('_'),
    where: ['latest_version is not null', ...where].join(' and '),
    values: given.map(([field]) => filter[field]),
  };
}

/** Published development projects. */
export class DevelopmentProjectLists {
  private readonly rowsById: (id: string) => Promise<readonly StoredProject[]>;

  constructor(private readonly database: Database) {
    this.rowsById = rowsByKey(database.reads, BY_ID, ({ id }: StoredProject) => [id] as const);
  }

  /** A project by its internal id. */
  async byId(id: string): Promise<StoredProject | null> {
    return isUuid(id) ? ((await this.rowsById(id.toLowerCase()))[0] ?? null) : null;
  }

  /** A project by where it is published. */
  async byPlace({ area, publicationYear, period, projectId }: PublicationPlace): Promise<StoredProject | null> {
    const [row] = await this.database.reads.rows<StoredProject>(BY_PLACE, [area, publicationYear, period, projectId]);
    return row ?? null;
  }

  /** A page of projects, newest publication first. */
  async page(filter: ProjectFilter, page: PageRequest): Promise<ProjectPage> {
    requirePageSize(page.first, LARGEST_PAGE);
    const { name, where, values } = conditionsOf(filter, 4);
    const position = cursorPosition(page.after);
    const { rows } = await this.database.pool.query<ListedProject>({
      name: `projects_${name}`,
      text: `select ${COLUMNS}, ${instantText('latest_published_at')} as instant
        from development_project where ${where} and (latest_published_at, id) < ($1::timestamptz, $2::uuid)
        order by latest_published_at desc, id desc limit $3`,
      values: [...position, page.first + 1, ...values],
    });
    const cursor = ({ instant, id }: ListedProject) => cursorOf([instant, id]);
    return counted(connectionOf(rows, page, cursor), () => this.count(filter));
  }

  /** How many projects the whole list has: every entry of an index is read. */
  private async count(filter: ProjectFilter): Promise<number> {
    const { name, where, values } = conditionsOf(filter, 1);
    const { rows } = await this.database.pool.query<{ total: string }>({
      name: `count_projects_${name}`,
      text: `select count(*) as total from development_project where ${where}`,
      values,
    });
    return Number(rows[0]?.total);
  }
}
