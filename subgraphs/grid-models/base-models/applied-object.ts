import {
  type CimFile,
  type DifferenceItem,
  type Statement,
  TYPE_STATEMENT,
  UNKNOWN_CLASS,
  declares,
  typeStatement,
} from '../rdf/difference-model';

/** Statements of one object that the difference model of one file deletes and adds. */
export interface ObjectDifferences {
  readonly reverse: readonly DifferenceItem[];
  readonly forward: readonly DifferenceItem[];
}

/** How a statement of a project does not fit the base model. */
export type FindingKind = 'missing-statement' | 'dangling-association' | 'added-twice';

/**
 * A statement that does not fit. `missing-statement`: the project deletes it, and the base model lacks it. `dangling-association`: after the
 * project it refers to an object that does not exist. `added-twice`: the class of an object that the project adds although it exists.
 */
export interface Finding {
  readonly kind: FindingKind;
  readonly file: CimFile;
  readonly mRID: string;
  readonly statement: Statement;
  /** Of a missing statement only: the values of the same name that the base model has, and that the project leaves; at most `INSTEAD_LIMIT`. */
  readonly instead?: readonly string[];
}

/** Values that a finding has in `instead`, at most. */
export const INSTEAD_LIMIT = 10;

/** An object of one file after its differences. */
export interface AppliedObject {
  /** Prefixed class; null if no statement of the file states it any more. */
  readonly type: string | null;
  /** Whether the file introduces the object: by its class, in SC also by `rdf:ID`. SC describes objects of EQ. */
  readonly isDeclared: boolean;
  /** True if the item is written with `rdf:ID`. */
  readonly isObject: boolean;
  /** Without that of the class. A second class, of an object that is added twice, is among them. */
  readonly statements: readonly Statement[];
  /** Statements that the differences delete, and that the base model lacks; with the values that it has instead. */
  readonly missing: readonly Pick<Finding, 'statement' | 'instead'>[];
  /** Whether the base model introduces the object in this file, and the differences leave that statement. */
  readonly isRetained: boolean;
}

/**
 * Applies differences to the items of an object in one file of the base model: deletes the statements of the reverse items, then adds those
 * of the forward items (IEC 61970-552). Statements are a set, as in RDF.
 */
export function appliedObject(
  file: CimFile,
  base: readonly DifferenceItem[],
  { reverse, forward }: ObjectDifferences = { reverse: [], forward: [] },
): AppliedObject {
  const statements = byKey(base.flatMap(statedBy));
  const deleted = byKey(reverse.flatMap(deletedBy));
  const missing = [...deleted].flatMap(([key, statement]) => (statements.delete(key) ? [] : [statement]));
  if (reverse.some(isWithoutClass)) for (const [key, each] of statements) if (isType(each)) statements.delete(key);
  const instead = missing.length === 0 ? undefined : firstValuesByName(statements.values());
  const isRetained = isDeclaration(file, base, hasType(statements));
  for (const statement of forward.flatMap(statedBy)) statements.set(keyOf(statement), statement);
  const remaining = [...statements.values()];
  const typed = remaining.findLast(isType);
  const type = typed?.value ?? null;
  return {
    type,
    isRetained,
    isDeclared: isDeclaration(file, [...base, ...forward], type !== null),
    isObject: type !== null && [...base, ...forward].some(({ isObject }) => isObject),
    statements: remaining.filter((statement) => statement !== typed),
    missing: missing.map((statement) => ({ statement, instead: instead?.get(statement.name) ?? [] })),
  };
}

/** Returns the first values of each attribute and association. */
function firstValuesByName(statements: Iterable<Statement>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { name, value } of statements) {
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else if (values.length < INSTEAD_LIMIT) values.push(value);
  }
  return found;
}

/** Returns whether items of a file introduce their object; `isTyped`: its class is stated after the differences. */
function isDeclaration(file: CimFile, items: readonly DifferenceItem[], isTyped: boolean): boolean {
  return isTyped && declares(file, items);
}

const isType = ({ name }: Statement): boolean => name === TYPE_STATEMENT;

const hasType = (statements: ReadonlyMap<string, Statement>): boolean => [...statements.values()].some(isType);

/** Returns the statements that an item of a full model or of the forward differences makes, or a whole object. */
export function statedBy({ type, statements }: DifferenceItem): readonly Statement[] {
  return type === UNKNOWN_CLASS ? statements : [typeStatement(type), ...statements];
}

/** Returns the statements that a reverse item deletes. With `rdf:about`, the class only states the class of the object and stays. */
function deletedBy(item: DifferenceItem): readonly Statement[] {
  return item.isObject ? statedBy(item) : item.statements;
}

/** Returns whether an item is a whole object whose class the file does not state: a reverse one deletes the object, whatever its class is. */
const isWithoutClass = ({ isObject, type }: DifferenceItem): boolean => isObject && type === UNKNOWN_CLASS;

const byKey = (statements: readonly Statement[]): Map<string, Statement> =>
  new Map(statements.map((statement) => [keyOf(statement), statement]));

/** Returns equal texts for equal statements. Targets are mRIDs, compared case-insensitively. */
export function keyOf({ name, kind, value }: Statement): string {
  return kind === 'association' ? `${name} >${value.toLowerCase()}` : `${name} =${value}`;
}
