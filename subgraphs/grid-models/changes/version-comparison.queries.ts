import {
  type Connection,
  type PageRequest,
  connectionOf,
  rejectCursor,
  requirePageSize,
} from '../../server/lists/connection';
import type { Database } from '../../server/database/database';
import { CIM_FILES, type CimFile, type DifferenceSection } from '../rdf/difference-model';
import { type ObjectChangeKind, type ValueChange, itemChanges } from './object-changes';
import {
  COMPARISON_COUNTS,
  DIFFERENT_FILES,
  ITEMS_OF_GROUPS,
  OBJECTS_OF_VERSIONS,
  differencesStatement,
} from './comparison.sql';
import { MAX_PAGE_SIZE } from '../projects/development-project.queries';
import { textCursor, textPosition } from '../../server/lists/list-cursor';
import type { StoredVersion } from '../projects/project-version.queries';
import { rowsByKey } from '../../server/database/rows-by-key';
import { type ItemRow, filedItem } from '../difference-models/stored-item.queries';

/** Two versions of one archive. */
export interface ComparedVersions {
  readonly from: StoredVersion;
  readonly to: StoredVersion;
}

/** Number of differences of a file, by kind. */
export interface ComparisonCount extends Readonly<Record<ObjectChangeKind, number>> {
  readonly file: CimFile;
}

/** Conditions on differences; null means no condition. */
interface ComparisonFilter {
  readonly file: CimFile | null;
  readonly kind: ObjectChangeKind | null;
}

/** Items of one object in one section of a file, if two versions differ in them. */
export interface ModelDifference {
  readonly file: CimFile;
  readonly section: DifferenceSection;
  readonly mRID: string;
  /** Class and name of the object, over the files of the version with the items. */
  readonly type: string;
  readonly name: string | null;
  readonly kind: ObjectChangeKind;
  readonly key: string;
  /** Numbers of the model in the first version and in the second one. */
  readonly models: readonly [from: number, to: number];
}

type GroupItem = ItemRow & { readonly model: number; readonly key: string };

/** The last difference of the page before. */
interface Position {
  readonly file: CimFile;
  readonly key: string;
  readonly section: string;
}

interface DifferentFile {
  readonly file: CimFile;
  readonly from: number;
  readonly to: number;
}

type DifferenceRow = Omit<ModelDifference, 'file' | 'name' | 'models'>;

type UnnamedDifference = Omit<ModelDifference, 'name'>;

interface NamedObject {
  readonly version: string;
  readonly key: string;
  readonly type: string;
  readonly name: string | null;
}

/** Compares the items of each object in the sections of two versions, in any order. Skips files with the same bytes. */
export class VersionComparisonQueries {
  private readonly items: (model: number, section: DifferenceSection, key: string) => Promise<readonly GroupItem[]>;

  constructor(private readonly database: Pick<Database, 'reads' | 'pool'>) {
    this.items = rowsByKey(
      database.reads,
      ITEMS_OF_GROUPS,
      ({ model, section, key }: GroupItem) => [model, section, key] as const,
    );
  }

  /** Counts the differences of each file. */
  async counts(versions: ComparedVersions): Promise<ComparisonCount[]> {
    const different = await this.differentFiles(versions, null);
    return Promise.all(
      CIM_FILES.map(async (file) => {
        const models = different.find((each) => each.file === file);
        const none = { file, added: 0, removed: 0, changed: 0 };
        if (!models) return none;
        const values = [models.from, models.to];
        const { rows } = await this.database.pool.query<ComparisonCount>({ ...COMPARISON_COUNTS, values });
        return { ...none, ...rows[0] };
      }),
    );
  }

  /** Returns a page of differences, ordered by file, then mRID. */
  async page(
    versions: ComparedVersions,
    { file, kind }: ComparisonFilter,
    page: PageRequest,
  ): Promise<Connection<ModelDifference>> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    const after = positionOf(page.after);
    const rows: UnnamedDifference[] = [];
    for (const models of await this.differentFiles(versions, file)) {
      const from = after === null || order(models.file) > order(after.file) ? START : after;
      const isPast = after !== null && order(models.file) < order(after.file);
      if (!isPast && rows.length <= page.first)
        rows.push(...(await this.differences(models, kind, from, page.first + 1 - rows.length)));
    }
    return connectionOf(await this.named(versions, rows), page, cursorOf);
  }

  /** Returns what differs: class, form, attributes and associations. */
  async values({ file, section, key, models }: ModelDifference): Promise<ValueChange[]> {
    const [before = [], after = []] = await Promise.all(
      models.map(async (model) =>
        (await this.items(model, section, key)).map((row) => filedItem({ ...row, file }).item),
      ),
    );
    return itemChanges(file, before, after);
  }

  /** Adds class and name of the objects: from the second version, or from the first one if only that has the item. */
  private async named({ from, to }: ComparedVersions, rows: readonly UnnamedDifference[]): Promise<ModelDifference[]> {
    const versionOf = ({ kind }: UnnamedDifference) => (kind === 'removed' ? from : to).id;
    const values = [rows.map(versionOf), rows.map(({ key }) => key)];
    const { rows: objects } = await this.database.pool.query<NamedObject>({ ...OBJECTS_OF_VERSIONS, values });
    const found = new Map(objects.map((object) => [`${object.version} ${object.key}`, object]));
    return rows.map((row) => {
      const { type = row.type, name = null } = found.get(`${versionOf(row)} ${row.key}`) ?? {};
      return { ...row, type, name };
    });
  }

  private async differences(
    { file, from, to }: DifferentFile,
    kind: ObjectChangeKind | null,
    { key, section }: Omit<Position, 'file'>,
    limit: number,
  ): Promise<UnnamedDifference[]> {
    const values = [from, to, key, section, limit];
    const { rows } = await this.database.pool.query<DifferenceRow>({ ...differencesStatement(kind), values });
    return rows.map((row) => ({ ...row, file, models: [from, to] }));
  }

  /** Returns the files whose bytes differ, in their order. */
  async filesThatDiffer(versions: ComparedVersions): Promise<CimFile[]> {
    return (await this.differentFiles(versions, null)).map(({ file }) => file);
  }

  private async differentFiles({ from, to }: ComparedVersions, file: CimFile | null): Promise<DifferentFile[]> {
    const { rows } = await this.database.pool.query<DifferentFile>({ ...DIFFERENT_FILES, values: [from.id, to.id] });
    const selected = rows.filter((row) => file === null || row.file === file);
    return selected.toSorted((one, other) => order(one.file) - order(other.file));
  }
}

const order = (file: CimFile) => CIM_FILES.indexOf(file);

const START = { key: '', section: '' };

const POSITION = /^(EQ|SC|GL) (forward|reverse) ([^]+)$/;

function cursorOf({ file, section, key }: ModelDifference): string {
  return textCursor(`${file} ${section} ${key}`);
}

function positionOf(cursor: string | null): Position | null {
  if (cursor === null) return null;
  const [, file, section, key] = POSITION.exec(textPosition(cursor)) ?? rejectCursor();
  return { file: file as CimFile, section: String(section), key: String(key) };
}
