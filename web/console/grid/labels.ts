import type { CimFile, ObjectChangeKind } from './operation-results';

/** Word and sign of a kind of change; the sign serves readers who cannot distinguish the colours. */
interface KindLabel {
  readonly kind: ObjectChangeKind;
  readonly word: string;
  readonly sign: string;
}

/** Labels of the kinds of change. */
export const KINDS: Readonly<Record<ObjectChangeKind, KindLabel>> = {
  ADDED: { kind: 'ADDED', word: 'added', sign: '+' },
  REMOVED: { kind: 'REMOVED', word: 'removed', sign: '−' },
  CHANGED: { kind: 'CHANGED', word: 'changed', sign: '~' },
};

/** Subjects of the files of an archive. */
export const FILE_SUBJECTS: Readonly<Record<CimFile, string>> = {
  EQ_XML: 'Equipment',
  SC_XML: 'Short circuit',
  GL_XML: 'Geographical location',
};

/** Returns the name under which a file is downloaded: `EQ.xml`. */
export function fileName(file: CimFile): string {
  return file.replace('_XML', '.xml');
}

/** Returns the two letters of a file: `EQ`. */
export function fileLetters(file: CimFile): string {
  return file.slice(0, 2);
}

/** Months of the two publications of a year (LTDS: May and November). */
export const PERIOD_MONTHS: Readonly<Record<string, string>> = { '01': 'May', '02': 'November' };

/** Formats a publication: `May 2026`. */
export function publicationName(year: number, period: string): string {
  return `${PERIOD_MONTHS[period] ?? `period ${period}`} ${year}`;
}

/** The parts of a prefixed CIM name: `gb:Feeder.rating` has prefix `gb`, class `Feeder` and property `rating`. */
export interface CimName {
  /** Undefined for names of CIM itself. */
  readonly prefix: string | undefined;
  readonly className: string;
  readonly property: string | undefined;
}

/** Splits a prefixed name into its parts. */
export function cimName(name: string): CimName {
  const [, prefix, rest = name] = /^([^:]*):(.*)$/s.exec(name) ?? [];
  const [, ownClass = rest, property] = /^([^.]*)\.(.*)$/s.exec(rest) ?? [];
  return { prefix: prefix === 'cim' ? undefined : prefix, className: ownClass, property };
}

/** The class of an object whose class no file states. */
export const UNKNOWN_CLASS = 'rdf:Description';

/** Returns the class of an object; `Class unknown` if no file states it. */
export function className(type: string): string {
  if (isUnknown(type)) return 'Class unknown';
  const { prefix, className: own } = cimName(type);
  return prefix === undefined ? own : `${prefix}:${own}`;
}

/** An object of a version, and what the base model says about it. */
interface IdentifiedObject {
  readonly type: string;
  readonly proposedType: string | null;
  readonly name: string | null;
  readonly inBaseModel: { readonly type: string; readonly name: string | null } | null;
}

/**
 * Returns name and class of an object: those of the version, or else of the base model, or else the class that is proposed, marked as such.
 */
export function objectLabel(object: IdentifiedObject) {
  return { name: object.name ?? object.inBaseModel?.name ?? null, className: classLabel(object) };
}

function classLabel({ type, proposedType, inBaseModel }: IdentifiedObject): string {
  if (!isUnknown(type)) return className(type);
  if (inBaseModel !== null) return className(inBaseModel.type);
  return proposedType === null ? className(type) : `${className(proposedType)} (proposed)`;
}

const isUnknown = (type: string): boolean => type === UNKNOWN_CLASS;

/** Splits a name where a line may break: `AC`, `Line`, `Segment`. */
export function breakable(name: string): string[] {
  return name.split(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[:.])/);
}
