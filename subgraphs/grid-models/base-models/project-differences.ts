import type { CimFile, DifferenceItem, DifferenceSection, Statement } from '../rdf/difference-model';
import { copied } from '../rdf/rdf-names';
import { type ObjectDifferences, declares } from './applied-object';

/** The differences of one object, by file. */
export type DifferencesByFile = Partial<Record<CimFile, ObjectDifferences>>;

/** The difference models of a project in memory, by object. */
export interface ProjectDifferences {
  add(file: CimFile, section: DifferenceSection, item: DifferenceItem): void;
  /** By mRID in lower case. */
  readonly objects: ReadonlyMap<string, DifferencesByFile>;
  /** Objects that the project removes as a whole and does not add again, by mRID in lower case. */
  removed(): ReadonlySet<string>;
  /** Objects whose existence decides whether the project fits its base model, by mRID in lower case. */
  relevant(): ReadonlySet<string>;
}

const NONE: ObjectDifferences = { reverse: [], forward: [] };

/** Collects the items of the difference models of a project. */
export function projectDifferences(): ProjectDifferences {
  const objects = new Map<string, DifferencesByFile>();
  const names = new Map<string, string>();
  /** Copies values, which may be slices of large strings, and shares equal names. */
  const owned = ({ name, kind, value }: Statement): Statement => {
    let shared = names.get(name);
    if (shared === undefined) names.set((shared = copied(name)), shared);
    return { name: shared, kind, value: copied(value) };
  };
  return {
    objects,
    add(file, section, { mRID, type, isObject, statements }) {
      const item = { mRID: copied(mRID), type: copied(type), isObject, statements: statements.map(owned) };
      const key = item.mRID.toLowerCase();
      let differences = objects.get(key);
      if (differences === undefined) objects.set(key, (differences = {}));
      const before = differences[file] ?? NONE;
      differences[file] = { ...before, [section]: [...before[section], item] };
    },
    removed: () => new Set([...objects].filter(([, differences]) => isRemoved(differences)).map(([key]) => key)),
    relevant: () => new Set([...objects].flatMap(([key, differences]) => [key, ...targetsOf(differences)])),
  };
}

/** Returns whether an object is removed as a whole and not added again. */
export function isRemoved(differences: DifferencesByFile): boolean {
  const files = Object.entries(differences) as [CimFile, ObjectDifferences][];
  const isAdded = files.some(([file, { forward }]) => forward.some((item) => declares(file, item)));
  return !isAdded && files.some(([, { reverse }]) => reverse.some(({ isObject }) => isObject));
}

function targetsOf(differences: DifferencesByFile): string[] {
  return Object.values(differences).flatMap(({ forward }) =>
    forward.flatMap(({ statements }) =>
      statements.filter(({ kind }) => kind === 'association').map(({ value }) => value.toLowerCase()),
    ),
  );
}
