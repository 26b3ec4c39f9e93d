import type { CimFile, ObjectChangeKind } from './register-answers';

/** How a kind of change is written: a sign besides the colour, for those who do not tell the colours apart. */
export interface KindWording {
  readonly kind: ObjectChangeKind;
  readonly word: string;
  readonly sign: string;
}

/** The wording of each kind. */
export const KINDS: Readonly<Record<ObjectChangeKind, KindWording>> = {
  ADDED: { kind: 'ADDED', word: 'added', sign: '+' },
  REMOVED: { kind: 'REMOVED', word: 'removed', sign: '−' },
  CHANGED: { kind: 'CHANGED', word: 'changed', sign: '~' },
};

/** What a file of the archive is about. */
export const FILE_SUBJECTS: Readonly<Record<CimFile, string>> = {
  EQ_XML: 'Equipment',
  SC_XML: 'Short circuit',
  GL_XML: 'Geographical location',
};

/** Name of a file as it is fetched: `EQ.xml`. */
export function fileName(file: CimFile): string {
  return file.replace('_XML', '.xml');
}

/** The file in two letters: `EQ`. */
export function fileLetters(file: CimFile): string {
  return file.slice(0, 2);
}

/** The months of the two publications of a year (LTDS: May and November). */
export const PERIOD_MONTHS: Readonly<Record<string, string>> = { '01': 'May', '02': 'November' };

/** A publication in words: `May 2026`. */
export function publicationName(year: number, period: string): string {
  return `${PERIOD_MONTHS[period] ?? `period ${period}`} ${year}`;
}

/** A prefixed name of CIM in its parts: of `gb:Feeder.rating` the prefix `gb`, the class `Feeder` and the property `rating`. */
export interface CimName {
  /** Absent of names of CIM itself. */
  readonly prefix: string | undefined;
  readonly className: string;
  readonly property: string | undefined;
}

/** The parts of a prefixed name. */
export function cimName(name: string): CimName {
  const [, prefix, rest = name] = /^([^:]*):(.*)$/s.exec(name) ?? [];
  const [, ownClass = rest, property] = /^([^.]*)\.(.*)$/s.exec(rest) ?? [];
  return { prefix: prefix === 'cim' ? undefined : prefix, className: ownClass, property };
}

/** The class of an object as people read it; one that no file tells is unknown. */
export function className(type: string): string {
  if (type === 'rdf:Description') return 'Class unknown';
  const { prefix, className: own } = cimName(type);
  return prefix === undefined ? own : `${prefix}:${own}`;
}

/** A name in the parts between which it may be broken: `AC`, `Line`, `Segment`. */
export function breakable(name: string): string[] {
  return name.split(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[:.])/);
}

/** A count with separators. */
export function counted(count: number): string {
  return count.toLocaleString('en-GB');
}

/** A count with the word for what is counted, in the singular of one. */
export function quantity(count: number, one: string, many = `${one}s`): string {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

/** A size in the largest unit that leaves a digit before the point: `126 kB`. */
export function fileSize(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

const DAY = new Intl.DateTimeFormat('en-GB', {
  ...({ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const),
});

/** The day of an instant in UTC: `1 Mar 2026`. */
export function dayOf(instant: string): string {
  return DAY.format(new Date(instant));
}

const MINUTE = new Intl.DateTimeFormat('en-GB', {
  ...({ day: 'numeric', month: 'short', year: 'numeric' } as const),
  ...({ hour: '2-digit', minute: '2-digit', hour12: false, timeZone: 'UTC' } as const),
});

/** An instant of a header as people read it, in UTC; what is no instant stays as it is written. */
export function writtenInstant(text: string): string {
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? text : `${MINUTE.format(instant)} UTC`;
}
