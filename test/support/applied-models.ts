import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Finding } from '../../subgraphs/grid-models/base-models/applied-object';
import { applyDifferences } from '../../subgraphs/grid-models/base-models/apply-differences';
import { projectDifferences } from '../../subgraphs/grid-models/base-models/project-differences';
import {
  CIM_FILES,
  type CimFile,
  type DifferenceItem,
  type DifferenceSection,
  TYPE_STATEMENT,
  UNKNOWN_CLASS,
} from '../../subgraphs/grid-models/rdf/difference-model';
import type { ModelSink } from '../../subgraphs/grid-models/rdf/model-sink';
import { differenceModelReader } from '../../subgraphs/grid-models/rdf/read-difference-model';
import { fullModelReader } from '../../subgraphs/grid-models/rdf/read-full-model';

/** A base model and a project, as texts by file. */
export interface AppliedCase {
  readonly base: Partial<Record<CimFile, string>>;
  readonly project: Partial<Record<CimFile, string>>;
}

/** Statements `[file, subject, name, kind, value]` of the model after the project, and findings `[kind, file, subject, name, value]`. */
export interface AppliedModel {
  readonly statements: readonly (readonly string[])[];
  readonly findings: readonly (readonly string[])[];
}

/** Applies cases with `apply_differences.py`. */
export function appliedByPython(cases: readonly AppliedCase[]): AppliedModel[] {
  const { status, stdout, stderr } = spawnSync('python3', [join(__dirname, 'apply_differences.py')], {
    ...{ input: JSON.stringify(cases), encoding: 'utf8', maxBuffer: 1 << 30 },
  });
  if (status !== 0) throw new Error(`apply_differences.py failed: ${stderr}`);
  return JSON.parse(stdout) as AppliedModel[];
}

/** Applies a case with the code of the register. */
export function appliedByRegister({ base, project }: AppliedCase): AppliedModel {
  const differences = projectDifferences();
  const statements: string[][] = [];
  const findings: string[][] = [];
  for (const file of CIM_FILES) readDifferences(project[file], (section, item) => differences.add(file, section, item));
  const application = applyDifferences(differences, {
    item: (file, item) => statements.push(...rowsOf(file, item)),
    finding: (finding) => findings.push(rowOf(finding)),
  });
  for (const file of CIM_FILES) readFull(base[file], (item) => application.base(file, item));
  for (const _ of application.end());
  return { statements: sorted(statements), findings: sorted(findings) };
}

/** Sorts rows as Python does, by code points, and removes repetitions. */
export function sorted(rows: readonly (readonly string[])[]): string[][] {
  const texts = new Set(rows.map((row) => JSON.stringify(row)));
  const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  return [...texts]
    .map((text) => JSON.parse(text) as string[])
    .toSorted((one, other) => {
      const at = one.findIndex((each, index) => each !== other[index]);
      return at === -1 ? 0 : compare(one[at] as string, other[at] as string);
    });
}

function rowsOf(file: CimFile, { mRID, type, statements }: DifferenceItem): string[][] {
  const subject = mRID.toLowerCase();
  const own = statements.map(({ name, kind, value }) => [
    ...[file, subject, name, kind],
    kind === 'association' ? value.toLowerCase() : value,
  ]);
  return type === UNKNOWN_CLASS ? own : [[file, subject, TYPE_STATEMENT, 'enumeration', type], ...own];
}

function rowOf({ kind, file, mRID, statement }: Finding): string[] {
  const value = statement.kind === 'association' ? statement.value.toLowerCase() : statement.value;
  return [kind, file, mRID.toLowerCase(), statement.name, value];
}

const fault: ModelSink['fault'] = ({ line, message }) => {
  throw new Error(`line ${line}: ${message}`);
};

function readDifferences(text: string | undefined, item: (section: DifferenceSection, item: DifferenceItem) => void) {
  if (text === undefined) return;
  const none = () => undefined;
  const reader = differenceModelReader({ section: none, precondition: none, header: none, item, fault });
  reader.write(Buffer.from(text));
  reader.end();
}

function readFull(text: string | undefined, item: (item: DifferenceItem) => void) {
  if (text === undefined) return;
  const reader = fullModelReader({ header: () => undefined, item, fault });
  reader.write(Buffer.from(text));
  reader.end();
}
