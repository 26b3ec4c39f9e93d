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

/** Formats a count with separators. */
export function counted(count: number): string {
  return count.toLocaleString('en-GB');
}

/** Formats a count with its noun in singular or plural. */
export function quantity(count: number, one: string, many = `${one}s`): string {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

/** Formats a size in the largest unit that gives at least 1: `126 kB`. */
export function fileSize(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

const DAY = new Intl.DateTimeFormat('en-GB', {
  ...({ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const),
});

/** Formats the day of an instant in UTC: `1 Mar 2026`. */
export function dayOf(instant: string): string {
  return DAY.format(new Date(instant));
}

const MINUTE = new Intl.DateTimeFormat('en-GB', {
  ...({ day: 'numeric', month: 'short', year: 'numeric' } as const),
  ...({ hour: '2-digit', minute: '2-digit', hour12: false, timeZone: 'UTC' } as const),
});

const ZONE = /(?:Z|[+-]\d{2}:\d{2})$/;

/** Formats an instant of a header in UTC. Returns other text unchanged, also a local time without a zone: its instant is unknown. */
export function writtenInstant(text: string): string {
  const instant = ZONE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? text : `${MINUTE.format(instant)} UTC`;
}
