import {
  type Connection,
  type PageRequest,
  connectionOf,
  refuseCursor,
  requirePageSize,
} from '../../server/connection';
import type { Database } from '../../server/database';
import { CIM_FILES, type CimFile, type DifferenceSection } from '../domain/difference-model';
import { type ObjectChangeKind, type ValueChange, valueChanges } from '../domain/object-changes';
import {
  COMPARISON_COUNTS,
  DIFFERENT_FILES,
  OBJECTS_OF_VERSIONS,
  STATEMENTS_OF_ITEMS,
  differencesStatement,
} from './comparison-statements';
import { LARGEST_PAGE } from './development-project-lists';
import { textCursor, textPosition } from '../../server/list-cursor';
import type { StoredVersion } from './project-version-lists';
import { rowsByKey } from '../../server/rows-by-key';
import { type StoredStatements, statementsOf } from './stored-item';

/** Two versions of one archive. */
export interface ComparedVersions {
  readonly from: StoredVersion;
  readonly to: StoredVersion;
}

/** How many items of a file are different. */
export interface ComparisonCount extends Readonly<Record<ObjectChangeKind, number>> {
  readonly file: CimFile;
}

/** Which differences; null leaves a condition out. */
export interface ComparisonFilter {
  readonly file: CimFile | null;
  readonly kind: ObjectChangeKind | null;
}

/** An item that two versions do not share: by its section, mRID, and which one of that mRID it is. */
export interface ModelDifference {
  readonly file: CimFile;
  readonly section: DifferenceSection;
  readonly mRID: string;
  /** Class and name of the object, over the files of the version that has the item. */
  readonly type: string;
  readonly name: string | null;
  readonly kind: ObjectChangeKind;
  readonly key: string;
  readonly occurrence: number;
  /** Places of the item in the first version and in the other one: number of the model and of the item. */
  readonly before: ItemPlace | null;
  readonly after: ItemPlace | null;
}

type ItemPlace = readonly [model: number, number: number];

interface PlacedStatements {
  readonly model: number;
  readonly number: number;
  readonly statements: StoredStatements;
}

/** Where a page begins: a file, and the key of the last item shown of it. */
interface Position {
  readonly file: CimFile;
  readonly key: string;
  readonly section: string;
  readonly occurrence: number;
}

interface DifferentFile {
  readonly file: CimFile;
  readonly from: number;
  readonly to: number;
}

type DifferenceRow = Omit<ModelDifference, 'file' | 'name' | 'before' | 'after'> & {
  readonly before: number | null;
  readonly after: number | null;
};

type UnnamedDifference = Omit<ModelDifference, 'name'>;

interface NamedObject {
  readonly version: string;
  readonly key: string;
  readonly type: string;
  readonly name: string | null;
}

/** What changed between two versions, item by item. Files that are the same byte for byte are not looked into. */
export class VersionComparisonLists {
  private readonly statements: (model: number, number: number) => Promise<readonly PlacedStatements[]>;

  constructor(private readonly database: Pick<Database, 'reads' | 'pool'>) {
    this.statements = rowsByKey(
      database.reads,
      STATEMENTS_OF_ITEMS,
      (row: PlacedStatements) => [row.model, row.number] as const,
    );
  }

  /** How many items are different, for each file. */
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

  /** A page of what is different: by file, then in the order of mRIDs. */
  async page(
    versions: ComparedVersions,
    { file, kind }: ComparisonFilter,
    page: PageRequest,
  ): Promise<Connection<ModelDifference>> {
    requirePageSize(page.first, LARGEST_PAGE);
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

  /** The attributes and associations of an item in both versions. */
  async values({ file, before, after }: ModelDifference): Promise<ValueChange[]> {
    const [old = [], recent = []] = await Promise.all([before, after].map((place) => this.statementsAt(place)));
    return valueChanges(file, old, recent);
  }

  /** What the objects of a page are called: in the other version, or in the first one where it has the item alone. */
  private async named({ from, to }: ComparedVersions, rows: readonly UnnamedDifference[]): Promise<ModelDifference[]> {
    const versionOf = ({ after }: UnnamedDifference) => (after === null ? from : to).id;
    const values = [rows.map(versionOf), rows.map(({ key }) => key)];
    const { rows: objects } = await this.database.pool.query<NamedObject>({ ...OBJECTS_OF_VERSIONS, values });
    const found = new Map(objects.map((object) => [`${object.version} ${object.key}`, object]));
    return rows.map((row) => {
      const { type = row.type, name = null } = found.get(`${versionOf(row)} ${row.key}`) ?? {};
      return { ...row, type, name };
    });
  }

  private async statementsAt(place: ItemPlace | null) {
    const [row] = place === null ? [] : await this.statements(...place);
    return statementsOf(row?.statements ?? []);
  }

  private async differences(
    { file, from, to }: DifferentFile,
    kind: ObjectChangeKind | null,
    { key, section, occurrence }: Omit<Position, 'file'>,
    most: number,
  ): Promise<UnnamedDifference[]> {
    const values = [from, to, key, section, occurrence, most];
    const { rows } = await this.database.pool.query<DifferenceRow>({ ...differencesStatement(kind), values });
    return rows.map(({ before, after, ...row }) => ({
      ...row,
      file,
      before: before === null ? null : [from, before],
      after: after === null ? null : [to, after],
    }));
  }

  private async differentFiles({ from, to }: ComparedVersions, file: CimFile | null): Promise<DifferentFile[]> {
    const { rows } = await this.database.pool.query<DifferentFile>({ ...DIFFERENT_FILES, values: [from.id, to.id] });
    const asked = rows.filter((row) => file === null || row.file === file);
    return asked.toSorted((one, other) => order(one.file) - order(other.file));
  }
}

const order = (file: CimFile) => CIM_FILES.indexOf(file);

const START = { key: '', section: '', occurrence: 0 };

const POSITION = /^(EQ|SC|GL) (forward|reverse) (\d{1,9}) ([^]+)$/;

function cursorOf({ file, section, occurrence, key }: ModelDifference): string {
  return textCursor(`${file} ${section} ${occurrence} ${key}`);
}

function positionOf(cursor: string | null): Position | null {
  if (cursor === null) return null;
  const [, file, section, occurrence, key] = POSITION.exec(textPosition(cursor)) ?? refuseCursor();
  return { file: file as CimFile, section: String(section), occurrence: Number(occurrence), key: String(key) };
}
