import {
  type CimFile,
  type DifferenceItem,
  type DifferenceSection,
  type Statement,
  declares,
  deletesObject,
} from '../rdf/difference-model';
import { copied } from '../rdf/rdf-names';
import type { ObjectDifferences } from './applied-object';

/** The differences of one object, by file. */
export type DifferencesByFile = Partial<Record<CimFile, ObjectDifferences>>;

/** The difference models of a project in memory, by object. All sets and maps have mRIDs in lower case. */
export interface ProjectDifferences {
  add(file: CimFile, section: DifferenceSection, item: DifferenceItem): void;
  readonly objects: ReadonlyMap<string, DifferencesByFile>;
  /** Objects that a file of the project deletes and that none adds again. Another file of the base model may still introduce them. */
  readonly deleted: ReadonlySet<string>;
  /** Objects whose existence decides whether the project fits its base model. */
  readonly relevant: ReadonlySet<string>;
}

/** Collects the items of the difference models of a project. */
export function projectDifferences(): ProjectDifferences {
  const objects = new Map<string, MutableDifferences>();
  const [deleted, relevant] = [new Set<string>(), new Set<string>()];
  const fates = new Map<string, Fate>();
  const names = new Map<string, string>();
  /** Copies values, which may be slices of large strings, and shares equal names. */
  const owned = ({ name, kind, value }: Statement): Statement => {
    let shared = names.get(name);
    if (shared === undefined) names.set((shared = copied(name)), shared);
    return { name: shared, kind, value: copied(value) };
  };
  /** Item by item: an object may have more items than one turn of the event loop can examine. */
  const classify = (key: string, file: CimFile, section: DifferenceSection, item: DifferenceItem) => {
    relevant.add(key);
    if (section === 'forward')
      for (const { kind, value } of item.statements) if (kind === 'association') relevant.add(value.toLowerCase());
    const fate = fateAfter(fates.get(key), file, section, item);
    if (fate === undefined) return;
    fates.set(key, fate);
    if (fate === 'deleted') deleted.add(key);
    else deleted.delete(key);
  };
  return {
    ...{ objects, deleted, relevant },
    add(file, section, { mRID, type, isObject, statements }) {
      const item = { mRID: copied(mRID), type: copied(type), isObject, statements: statements.map(owned) };
      const key = item.mRID.toLowerCase();
      let differences = objects.get(key);
      if (differences === undefined) objects.set(key, (differences = {}));
      (differences[file] ??= { reverse: [], forward: [] })[section].push(item);
      classify(key, file, section, item);
    },
  };
}

/** Differences of an object while they are collected. */
export type MutableDifferences = Partial<Record<CimFile, Record<DifferenceSection, DifferenceItem[]>>>;

/** What a project does with an object as a whole. */
type Fate = 'deleted' | 'added';

/** Returns the fate of an object after one more item. An object that is added again is not deleted. */
function fateAfter(
  fate: Fate | undefined,
  file: CimFile,
  section: DifferenceSection,
  item: DifferenceItem,
): Fate | undefined {
  if (section === 'forward') return declares(file, [item]) ? 'added' : fate;
  return deletesObject(item) && fate !== 'added' ? 'deleted' : fate;
}

/** Returns whether a file deletes an object and none adds it again. Another file of the base model may still introduce it. */
export function isDeleted(differences: DifferencesByFile): boolean {
  let fate: Fate | undefined;
  for (const [file, sections] of Object.entries(differences) as [CimFile, ObjectDifferences][])
    for (const section of ['reverse', 'forward'] as const)
      for (const item of sections[section]) fate = fateAfter(fate, file, section, item);
  return fate === 'deleted';
}
