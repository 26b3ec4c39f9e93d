import {
  CIM_FILES,
  type CimFile,
  type DifferenceItem,
  type Statement,
  UNKNOWN_CLASS,
  declares,
  typeStatement,
} from '../rdf/difference-model';
import { copied } from '../rdf/rdf-names';
import { type AppliedObject, type Finding, appliedObject } from './applied-object';
import type { DifferencesByFile, ProjectDifferences } from './project-differences';

/** Receives the model after a project, and the statements that do not fit. */
interface ApplicationSink {
  /** An item of the model after the project; those that the project does not touch come first, as the base model has them. */
  item(file: CimFile, item: DifferenceItem): void;
  finding(finding: Finding): void;
}

/** Applies a project to a base model that is read once, as a stream of items. */
interface Application {
  /** Passes the next item of a file of the base model. */
  base(file: CimFile, item: DifferenceItem): void;
  /** Ends the base model: reports the objects that the project touches, and the findings. Yields after each object, so that the caller can pause. */
  end(): Iterable<void>;
}

/** An association of the base model to an object that the project deletes. */
interface LeftAssociation {
  readonly file: CimFile;
  readonly mRID: string;
  readonly statement: Statement;
}

/**
 * Starts to apply the differences of a project. Memory grows with the project and the objects that it touches, not with the base model.
 */
export function applyDifferences(project: ProjectDifferences, sink: ApplicationSink): Application {
  const { deleted, relevant } = project;
  /** Relevant objects that the base model introduces, with the files that do. */
  const declared = new Map<string, Set<CimFile>>();
  /** Items of the base model about objects that the project touches, by file. */
  const touched: Record<CimFile, Map<string, DifferenceItem[]>> = { EQ: new Map(), SC: new Map(), GL: new Map() };
  const left: LeftAssociation[] = [];
  const isIntroduced = introductions();
  return {
    base(file, item) {
      const key = item.mRID.toLowerCase();
      if (relevant.has(key) && isIntroduced(file, key, item)) addTo(declared, key, file);
      if (project.objects.get(key)?.[file] !== undefined) return hold(touched[file], key, item);
      if (deleted.size > 0)
        for (const statement of item.statements)
          if (statement.kind === 'association' && deleted.has(statement.value.toLowerCase()))
            left.push({ file, mRID: copied(item.mRID), statement: ownStatement(statement) });
      sink.item(file, item);
    },
    *end() {
      const results = new Map<string, Partial<Record<CimFile, AppliedObject>>>();
      const existing = new Set<string>();
      for (const [key, differences] of project.objects) {
        const result = appliedFiles(differences, (file) => touched[file].get(key) ?? []);
        results.set(key, result);
        if (existsAfter(result, declared.get(key))) existing.add(key);
        yield;
      }
      const exists = (key: string) => (project.objects.has(key) ? existing.has(key) : declared.has(key));
      for (const [key, result] of results) {
        const differences = project.objects.get(key) as DifferencesByFile;
        for (const finding of findingsOf(differences, result, declared.get(key), exists)) sink.finding(finding);
        for (const each of itemsOf(differences, result)) {
          sink.item(each.file, each.item);
          for (const remaining of remainingAssociations(each, differences, deleted)) left.push(remaining);
        }
        yield;
      }
      for (const { file, mRID, statement } of left) {
        if (declared.has(statement.value.toLowerCase()) && !exists(statement.value.toLowerCase()))
          sink.finding({ kind: 'dangling-association', file, mRID, statement });
        yield;
      }
    },
  };
}

/** Returns a function that receives the items of objects one by one, and returns whether those of an object in a file introduce it. */
function introductions(): (file: CimFile, key: string, item: DifferenceItem) => boolean {
  /** Items of SC that state only the class of an object, or only that it is whole: another item may state the other. */
  const halves = new Map<string, Pick<DifferenceItem, 'type' | 'isObject'>>();
  return (file, key, { type, isObject }) => {
    const item = { type, isObject };
    if (file !== 'SC' || declares(file, [item])) return declares(file, [item]);
    const half = halves.get(key);
    if (half !== undefined && declares(file, [half, item])) return true;
    if (isObject || type !== UNKNOWN_CLASS) halves.set(copied(key), { type: copied(type), isObject });
    return false;
  };
}

/** Applies the differences of an object to each file that they concern. */
function appliedFiles(
  differences: DifferencesByFile,
  baseOf: (file: CimFile) => readonly DifferenceItem[],
): Partial<Record<CimFile, AppliedObject>> {
  return Object.fromEntries(
    CIM_FILES.flatMap((file) => {
      const own = differences[file];
      return own === undefined ? [] : [[file, appliedObject(file, baseOf(file), own)] as const];
    }),
  );
}

/** Returns whether an object exists after the project: `declaredIn` are the files of the base model that introduce it. */
export function existsAfter(
  result: Partial<Record<CimFile, AppliedObject>>,
  declaredIn: ReadonlySet<CimFile> | undefined,
): boolean {
  return CIM_FILES.some((file) => result[file]?.isDeclared ?? declaredIn?.has(file) ?? false);
}

/**
 * Returns the statements of the differences of an object that do not fit. `exists` returns whether an mRID in lower case exists after the
 * project.
 */
export function findingsOf(
  differences: DifferencesByFile,
  result: Partial<Record<CimFile, AppliedObject>>,
  declaredIn: ReadonlySet<CimFile> | undefined,
  exists: (key: string) => boolean,
): Finding[] {
  let isThere = CIM_FILES.some((file) => result[file]?.isRetained ?? declaredIn?.has(file) ?? false);
  return CIM_FILES.flatMap((file) => {
    const { reverse = [], forward = [] } = differences[file] ?? {};
    const mRID = (forward[0] ?? reverse[0])?.mRID ?? '';
    const found: Finding[] = (result[file]?.missing ?? []).map((missing) => ({
      ...({ kind: 'missing-statement', file, mRID, ...missing } as const),
    }));
    for (const { isObject, type, statements } of forward) {
      if (isObject && isThere) found.push({ kind: 'added-twice', file, mRID, statement: typeStatement(type) });
      isThere ||= isObject;
      for (const each of statements)
        if (each.kind === 'association' && !exists(each.value.toLowerCase()))
          found.push({ kind: 'dangling-association', file, mRID, statement: each });
    }
    return found;
  });
}

interface FiledResult {
  readonly file: CimFile;
  readonly item: DifferenceItem;
}

/** Returns the items of an object after the project; none for a file in which nothing of it is left. */
function itemsOf(differences: DifferencesByFile, result: Partial<Record<CimFile, AppliedObject>>): FiledResult[] {
  return CIM_FILES.flatMap((file) => {
    const applied = result[file];
    const own = differences[file];
    if (applied === undefined || own === undefined || (applied.type === null && applied.statements.length === 0))
      return [];
    const { mRID } = (own.forward[0] ?? own.reverse[0]) as DifferenceItem;
    const { type, isObject, statements } = applied;
    return [{ file, item: { mRID, type: type ?? UNKNOWN_CLASS, isObject, statements } }];
  });
}

/** Returns the remaining associations of an object of the base model to objects that the project deletes. */
function remainingAssociations(
  { file, item }: FiledResult,
  differences: DifferencesByFile,
  deleted: ReadonlySet<string>,
) {
  const added = new Set(differences[file]?.forward.flatMap(({ statements }) => statements));
  return item.statements
    .filter((each) => each.kind === 'association' && !added.has(each) && deleted.has(each.value.toLowerCase()))
    .map((statement): LeftAssociation => ({ file, mRID: item.mRID, statement }));
}

function addTo(declared: Map<string, Set<CimFile>>, key: string, file: CimFile): void {
  const files = declared.get(key);
  if (files) files.add(file);
  else declared.set(copied(key), new Set([file]));
}

function hold(items: Map<string, DifferenceItem[]>, key: string, item: DifferenceItem): void {
  const own = {
    ...item,
    mRID: copied(item.mRID),
    type: copied(item.type),
    statements: item.statements.map(ownStatement),
  };
  const others = items.get(key);
  if (others) others.push(own);
  else items.set(copied(key), [own]);
}

const ownStatement = ({ name, kind, value }: Statement): Statement => ({ name, kind, value: copied(value) });
