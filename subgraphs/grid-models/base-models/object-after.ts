import { NAME_ATTRIBUTE, lastText } from '../changes/object-changes';
import {
  CIM_FILES,
  type CimFile,
  type DifferenceItem,
  type Statement,
  UNKNOWN_CLASS,
  declares,
} from '../rdf/difference-model';
import { type AppliedObject, type Finding, appliedObject, keyOf, statedBy } from './applied-object';
import { existsAfter, findingsOf } from './apply-differences';
import type { DifferencesByFile } from './project-differences';

/** Statements about one object in the base model and in the project. */
export interface ObjectSources {
  readonly base: Partial<Record<CimFile, DifferenceItem[]>>;
  readonly differences: DifferencesByFile;
}

/** A statement about an object after a project. */
interface StatementAfter extends Statement {
  readonly file: CimFile;
  /** Whether the base model lacks it. */
  readonly isNew: boolean;
  /** Whether the target of an association exists after the project; true for other statements. */
  readonly targetExists: boolean;
}

/** An object after a project is applied to its base model. */
export interface ObjectAfter {
  readonly mRID: string;
  readonly type: string;
  readonly name: string | null;
  /** Whether it exists before and after the project. */
  readonly existed: boolean;
  readonly exists: boolean;
  readonly statements: readonly StatementAfter[];
  readonly findings: readonly Finding[];
}

type Results = Partial<Record<CimFile, AppliedObject>>;

/** The sources of an unknown object. */
export const NOTHING: ObjectSources = { base: {}, differences: {} };

/** Returns an object after the project with its own findings. */
export function afterOf(
  sources: ObjectSources,
  exists: (key: string) => boolean,
  existed: (key: string) => boolean,
): ObjectAfter {
  const results = resultsOf(sources);
  const { base, differences } = sources;
  const declaredIn = declaringFiles(sources);
  const statements = CIM_FILES.flatMap((file) => {
    const before = new Set((base[file] ?? []).flatMap(statedBy).map(keyOf));
    return (results[file]?.statements ?? []).map((statement): StatementAfter => ({
      ...{ ...statement, file, isNew: !before.has(keyOf(statement)) },
      targetExists: statement.kind !== 'association' || exists(statement.value.toLowerCase()),
    }));
  });
  const items = CIM_FILES.flatMap((file) => [
    ...(differences[file]?.forward ?? []),
    ...(base[file] ?? []),
    ...(differences[file]?.reverse ?? []),
  ]);
  const mRID = items[0]?.mRID ?? '';
  const added = new Set(
    CIM_FILES.flatMap((file) => (differences[file]?.forward ?? []).flatMap((item) => item.statements)),
  );
  const dangling = CIM_FILES.flatMap((file) =>
    (results[file]?.statements ?? [])
      .filter((each) => each.kind === 'association' && !added.has(each))
      .filter(({ value }) => existed(value.toLowerCase()) && !exists(value.toLowerCase()))
      .map((statement): Finding => ({ kind: 'dangling-association', file, mRID, statement })),
  );
  return {
    mRID,
    type: typeOf(results, items),
    name: lastText(statements, NAME_ATTRIBUTE) ?? null,
    existed: declaredIn.size > 0,
    exists: existsAfter(results, declaredIn),
    statements,
    findings: [...findingsOf(differences, results, declaredIn, exists), ...dangling],
  };
}

/** Returns the class after the project; the former one of a removed object. */
function typeOf(results: Results, items: readonly { readonly type: string }[]): string {
  const after = CIM_FILES.map((file) => results[file]?.type ?? null).find((type) => type !== null);
  return after ?? items.find(({ type }) => type !== UNKNOWN_CLASS)?.type ?? UNKNOWN_CLASS;
}

function resultsOf({ base, differences }: ObjectSources): Results {
  return Object.fromEntries(
    CIM_FILES.filter((file) => base[file] !== undefined || differences[file] !== undefined).map((file) => [
      ...[file, appliedObject(file, base[file] ?? [], differences[file])],
    ]),
  );
}

/** Returns whether an object exists after the project. */
export const existsIn = (sources: ObjectSources): boolean => existsAfter(resultsOf(sources), undefined);

/** Returns the files of the base model that introduce an object. */
export function declaringFiles({ base }: ObjectSources): ReadonlySet<CimFile> {
  return new Set(CIM_FILES.filter((file) => declares(file, base[file] ?? [])));
}

/** Returns the mRIDs, in lower case, to which an object refers before or after the project. */
export function targetsOf({ base, differences }: ObjectSources): string[] {
  return CIM_FILES.flatMap((file) => [...(base[file] ?? []), ...(differences[file]?.forward ?? [])]).flatMap((item) =>
    item.statements.filter(({ kind }) => kind === 'association').map(({ value }) => value.toLowerCase()),
  );
}
