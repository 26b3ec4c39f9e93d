import {
  type CimFile,
  CIM_FILES,
  type DifferenceItem,
  type DifferenceSection,
  type Statement,
  TYPE_STATEMENT,
  UNKNOWN_CLASS,
  declares,
  deletesObject,
  typeStatement,
} from '../rdf/difference-model';

/** An item with its file and section. */
export interface FiledItem {
  readonly file: CimFile;
  readonly section: DifferenceSection;
  readonly item: DifferenceItem;
}

/**
 * Kind of a change: `removed` if a reverse section deletes the object as a whole (`rdf:ID`) or the statement of its class (`rdf:type`, not in
 * SC, which describes objects of EQ), and no forward section introduces it. `added` if only forward sections contain it as a whole, with its
 * class. An object that a forward section describes by class and `rdf:about` is `added`, too, if nothing of it is deleted and the base model
 * has nothing of it; not in SC, which describes objects of EQ in this form (CGMES 3.0, short circuit profile). Everything else is `changed`.
 */
export type ObjectChangeKind = 'added' | 'removed' | 'changed';

/** An attribute or association of an object, or its class: values in the base model (`before`) and their replacements (`after`). */
export interface ValueChange {
  readonly file: CimFile;
  /** Prefixed: `cim:ACLineSegment.r`; `rdf:type` for the class. */
  readonly name: string;
  readonly isAssociation: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The change that an archive makes to one object, over its three files. */
export interface ObjectChange {
  /** In the spelling of its first item. */
  readonly mRID: string;
  /** Prefixed class, the new one if it changes; `rdf:Description` if no item states it. */
  readonly type: string;
  readonly kind: ObjectChangeKind;
  /** Whether an item is the whole object (`rdf:ID`). */
  readonly isWhole: boolean;
  readonly name: string | null;
  /** In the order EQ, SC, GL. */
  readonly files: readonly CimFile[];
  /** Without values that are the same before and after. */
  readonly values: readonly ValueChange[];
}

/** The attribute that names an object. */
export const NAME_ATTRIBUTE = 'cim:IdentifiedObject.name';

/** The attribute that describes an object. */
export const DESCRIPTION_ATTRIBUTE = 'cim:IdentifiedObject.description';

/** Returns the value of a text attribute. If it is repeated, the last one counts, as in the JSON view. */
export function lastText(statements: readonly Statement[], attribute: string): string | undefined {
  return statements.findLast(({ name, kind }) => name === attribute && kind === 'text')?.value;
}

/** Merges all items of one mRID in an archive into the change of the object, as if there were no base model. Throws a RangeError without items. */
export function objectChange(items: readonly FiledItem[]): ObjectChange {
  const first = items[0];
  if (!first) throw new RangeError('a change needs at least one item');
  return {
    mRID: first.item.mRID,
    type: typeOf(items),
    kind: kindOf(items),
    isWhole: items.some(({ item }) => item.isObject),
    name: nameOf(items),
    files: CIM_FILES.filter((file) => items.some((each) => each.file === file)),
    values: CIM_FILES.flatMap((file) => valuesIn(file, items)),
  };
}

/** Returns the differences between two lists of statements about one object, in the order in which names first occur. */
export function valueChanges(file: CimFile, before: readonly Statement[], after: readonly Statement[]): ValueChange[] {
  const changes = new Map<string, { name: string; isAssociation: boolean; before: string[]; after: string[] }>();
  const collect = (statements: readonly Statement[], side: 'before' | 'after') => {
    for (const { name, kind, value } of statements) {
      const isAssociation = kind === 'association';
      const key = `${isAssociation ? '>' : '='}${name}`;
      let change = changes.get(key);
      if (!change) changes.set(key, (change = { name, isAssociation, before: [], after: [] }));
      change[side].push(value);
    }
  };
  collect(before, 'before');
  collect(after, 'after');
  return [...changes.values()].filter((change) => !isSame(change)).map((change) => ({ file, ...change }));
}

/**
 * Returns the differences between the items of one object in a section of two versions: a change of class as values of `rdf:type`, of the
 * form as values of `rdf:ID` and `rdf:about`, then those of the statements. What several items state is compared as one set: it does not
 * matter in which of them, or how often, a statement occurs, or whether others omit the class. An object is whole if one of them is.
 */
export function itemChanges(
  file: CimFile,
  before: readonly DifferenceItem[],
  after: readonly DifferenceItem[],
): ValueChange[] {
  const distinct = (items: readonly DifferenceItem[], textOf: (item: DifferenceItem) => string) =>
    [...new Set(items.map(textOf))].toSorted();
  const change = (name: string, textOf: (items: readonly DifferenceItem[]) => string[]): ValueChange[] => {
    const values = { file, name, isAssociation: false, before: textOf(before), after: textOf(after) };
    return isSame(values) ? [] : [values];
  };
  const identified = (isObject: boolean) => (items: readonly DifferenceItem[]) =>
    items.some((item) => item.isObject) === isObject ? distinct(items, ({ mRID }) => mRID.toLowerCase()) : [];
  const classes = (items: readonly DifferenceItem[]) =>
    distinct(
      items.filter(({ type }) => type !== UNKNOWN_CLASS),
      ({ type }) => type,
    );
  const isInBoth = before.length > 0 && after.length > 0;
  return [
    ...(isInBoth ? change(TYPE_STATEMENT, classes) : []),
    ...(isInBoth ? [...change('rdf:ID', identified(true)), ...change('rdf:about', identified(false))] : []),
    ...valueChanges(file, distinctStatements(before), distinctStatements(after)),
  ];
}

/** Returns the statements of items without repetitions. Targets are compared case-insensitively. */
function distinctStatements(items: readonly DifferenceItem[]): Statement[] {
  const found = new Map<string, Statement>();
  for (const statement of items.flatMap(({ statements }) => statements)) {
    const { name, kind, value } = statement;
    const key = kind === 'association' ? `>${name} ${value.toLowerCase()}` : `=${name} ${value}`;
    if (!found.has(key)) found.set(key, statement);
  }
  return [...found.values()];
}

function valuesIn(file: CimFile, items: readonly FiledItem[]): ValueChange[] {
  const [deleted, added] = [statementsOf(file, 'reverse', items), statementsOf(file, 'forward', items)];
  // The class of a forward item is a value only if the reverse differences delete a class.
  const classes = deleted.some(({ name }) => name === TYPE_STATEMENT)
    ? classesOf(items.filter((each) => each.file === file && each.section === 'forward'))
    : [];
  return [...classChange(file, items), ...valueChanges(file, deleted, [...classes.map(typeStatement), ...added])];
}

/** Returns the distinct classes that items state. */
function classesOf(items: readonly FiledItem[]): string[] {
  return [...new Set(items.map(({ item }) => item.type).filter((type) => type !== UNKNOWN_CLASS))];
}

/** Returns the change of class of an object that a file replaces as a whole by one of another class, as values of `rdf:type`. */
function classChange(file: CimFile, items: readonly FiledItem[]): ValueChange[] {
  const classesIn = (section: DifferenceSection) =>
    classesOf(items.filter((each) => each.file === file && each.section === section && each.item.isObject));
  const values = {
    name: TYPE_STATEMENT,
    isAssociation: false,
    before: classesIn('reverse'),
    after: classesIn('forward'),
  };
  const isReplaced = values.before.length > 0 && values.after.length > 0;
  return isReplaced && !isSame(values) ? [{ file, ...values }] : [];
}

function statementsOf(file: CimFile, section: DifferenceSection, items: readonly FiledItem[]): Statement[] {
  return items.flatMap((each) => (each.file === file && each.section === section ? each.item.statements : []));
}

/** Compares values as multisets: statements have no order. Targets are mRIDs, compared case-insensitively. */
export function isSame({ isAssociation, before, after }: Omit<ValueChange, 'file' | 'name'>): boolean {
  if (before.length !== after.length) return false;
  const compared = (values: readonly string[]) =>
    values.map((value) => (isAssociation ? value.toLowerCase() : value)).toSorted();
  const others = compared(after);
  return compared(before).every((value, index) => value === others[index]);
}

/**
 * The class of an item that is the whole object takes precedence over that of an item about it, then that of a forward section over that of
 * a reverse section.
 */
function typeOf(items: readonly FiledItem[]): string {
  const typed = (['forward', 'reverse'] as const).flatMap((section) =>
    items.filter((each) => each.section === section && each.item.type !== UNKNOWN_CLASS),
  );
  return (typed.find(({ item }) => item.isObject) ?? typed[0])?.item.type ?? UNKNOWN_CLASS;
}

function kindOf(items: readonly FiledItem[]): ObjectChangeKind {
  const isIn = (section: DifferenceSection) => (each: FiledItem) => each.section === section;
  const [reverse, forward] = [items.filter(isIn('reverse')), items.filter(isIn('forward'))];
  const forwardIn = (file: CimFile) => forward.filter((each) => each.file === file).map(({ item }) => item);
  const isDeclared = CIM_FILES.some((file) => declares(file, forwardIn(file)));
  const isDeleted = ({ file, item }: FiledItem) => deletesObject(item) && (item.isObject || file !== 'SC');
  if (reverse.some(isDeleted)) return isDeclared ? 'changed' : 'removed';
  // An item that states a class and `rdf:about` may only describe an object whose statements the reverse differences change.
  return isDeclared && (reverse.length === 0 || forward.some(({ item }) => item.isObject)) ? 'added' : 'changed';
}

/** Returns the new name of the object, or else its old one. */
function nameOf(items: readonly FiledItem[]): string | null {
  return nameIn('forward', items) ?? nameIn('reverse', items) ?? null;
}

function nameIn(section: DifferenceSection, items: readonly FiledItem[]): string | undefined {
  const statements = items.flatMap((each) => (each.section === section ? each.item.statements : []));
  return lastText(statements, NAME_ATTRIBUTE);
}
