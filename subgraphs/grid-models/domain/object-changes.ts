import {
  type CimFile,
  CIM_FILES,
  type DifferenceItem,
  type DifferenceSection,
  type Statement,
  UNKNOWN_CLASS,
} from './difference-model';

/** An item with the places where it stands: a member of the archive, and a section of it. */
export interface FiledItem {
  readonly file: CimFile;
  readonly section: DifferenceSection;
  readonly item: DifferenceItem;
}

/** What a project does to an object: it is written whole in a forward section, whole in a reverse section, or neither. */
export type ObjectChangeKind = 'added' | 'removed' | 'changed';

/** One attribute or association of an object: its values in the base model and those that take their place. */
export interface ValueChange {
  readonly file: CimFile;
  /** Prefixed: `cim:ACLineSegment.r`. */
  readonly name: string;
  readonly isAssociation: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** What an archive does to one object, over its three files. */
export interface ObjectChange {
  /** As its first item spells it. */
  readonly mRID: string;
  /** Prefixed class, or `rdf:Description` when no item says it. */
  readonly type: string;
  readonly kind: ObjectChangeKind;
  readonly name: string | null;
  /** In the order EQ, SC, GL. */
  readonly files: readonly CimFile[];
  /** What is the same before and after is left out. */
  readonly values: readonly ValueChange[];
}

/** The attribute that names an object. */
export const NAME_ATTRIBUTE = 'cim:IdentifiedObject.name';

/** The attribute that describes an object. */
export const DESCRIPTION_ATTRIBUTE = 'cim:IdentifiedObject.description';

/** What statements say by a text attribute; of several with its name the last counts, as in the JSON view. */
export function lastText(statements: readonly Statement[], attribute: string): string | undefined {
  return statements.findLast(({ name, kind }) => name === attribute && kind === 'text')?.value;
}

/** The merged change of one object, from all items of its mRID in an archive; there is at least one. */
export function objectChange(items: readonly FiledItem[]): ObjectChange {
  const first = items[0];
  if (!first) throw new RangeError('an object that no item names is not changed');
  return {
    mRID: first.item.mRID,
    type: typeOf(items),
    kind: kindOf(items),
    name: nameOf(items),
    files: CIM_FILES.filter((file) => items.some((each) => each.file === file)),
    values: CIM_FILES.flatMap((file) => valuesIn(file, items)),
  };
}

/** What differs between two lists of statements about one object, in the order in which names come first. */
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

function valuesIn(file: CimFile, items: readonly FiledItem[]): ValueChange[] {
  return valueChanges(file, statementsOf(file, 'reverse', items), statementsOf(file, 'forward', items));
}

function statementsOf(file: CimFile, section: DifferenceSection, items: readonly FiledItem[]): Statement[] {
  return items.flatMap((each) => (each.file === file && each.section === section ? each.item.statements : []));
}

/** Statements have no order; targets are mRIDs, which are compared without regard to case. */
function isSame({ isAssociation, before, after }: Omit<ValueChange, 'file' | 'name'>): boolean {
  if (before.length !== after.length) return false;
  const compared = (values: readonly string[]) =>
    values.map((value) => (isAssociation ? value.toLowerCase() : value)).toSorted();
  const others = compared(after);
  return compared(before).every((value, index) => value === others[index]);
}

/** The class that a whole object states counts more than that of an item about it. */
function typeOf(items: readonly FiledItem[]): string {
  const typed = items.filter(({ item }) => item.type !== UNKNOWN_CLASS);
  return (typed.find(({ item }) => item.isObject) ?? typed[0])?.item.type ?? UNKNOWN_CLASS;
}

function kindOf(items: readonly FiledItem[]): ObjectChangeKind {
  const isWhole = (section: DifferenceSection) => items.some((each) => each.section === section && each.item.isObject);
  const [added, removed] = [isWhole('forward'), isWhole('reverse')];
  if (added === removed) return 'changed';
  return added ? 'added' : 'removed';
}

/** The name that the object has afterwards, or had. */
function nameOf(items: readonly FiledItem[]): string | null {
  return nameIn('forward', items) ?? nameIn('reverse', items) ?? null;
}

function nameIn(section: DifferenceSection, items: readonly FiledItem[]): string | undefined {
  const statements = items.flatMap((each) => (each.section === section ? each.item.statements : []));
  return lastText(statements, NAME_ATTRIBUTE);
}
