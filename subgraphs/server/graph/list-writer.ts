/** A selected field of the objects of a list. */
export interface WrittenField {
  /** Response key: alias or name. */
  readonly key: string;
  readonly name: string;
  /** The value of `__typename`. */
  readonly constant?: string;
  /** The selected fields of an object or of the objects of a list; undefined for a leaf. */
  readonly fields?: readonly WrittenField[];
}

/** Returns the JSON text of an object of the list. */
type ListWriter = (value: object) => string;

type ValueWriter = (value: unknown) => string;

/**
 * Returns the writer of objects with selected fields. Leaves are strings, numbers, Booleans and instants. Successive objects often share
 * instants, objects and lists, whose texts are written once.
 */
export function listWriter(fields: readonly WrittenField[]): ListWriter {
  const instants = instantWriter();
  const writers = fields.map(({ key, name, constant, fields: ofValue }, index) => {
    const start = `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`;
    if (constant !== undefined) return () => start + JSON.stringify(constant);
    const write = ofValue === undefined ? leafText(instants) : shared(ofValue);
    return (value: Readonly<Record<string, unknown>>) => start + write(value[name]);
  });
  return (value) => {
    let text = '';
    for (const write of writers) text += write(value as Readonly<Record<string, unknown>>);
    return `${text}}`;
  };
}

/** Returns a writer of objects and lists that caches the texts of the objects of this list. */
function shared(fields: readonly WrittenField[]): ValueWriter {
  const write = listWriter(fields);
  const texts = new WeakMap<object, string>();
  const textOf = (value: object): string =>
    Array.isArray(value) ? `[${value.map((item: object) => textOf(item)).join(',')}]` : write(value);
  return (value) => {
    if (value === null || value === undefined) return 'null';
    const known = texts.get(value as object);
    if (known !== undefined) return known;
    const text = textOf(value as object);
    texts.set(value as object, text);
    return text;
  };
}

function leafText(instantText: (at: Date) => string): ValueWriter {
  return (value) => {
    if (value === null || value === undefined) return 'null';
    return value instanceof Date ? instantText(value) : JSON.stringify(value);
  };
}

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

/** The texts of the minutes of a day: `T00:00:00.000Z` to `T23:59:00.000Z`. */
const TIMES = Array.from({ length: DAY_MS / MINUTE_MS }, (_, minute) => timeOf(new Date(minute * MINUTE_MS)));

/**
 * Returns a writer of instants that caches the text of the last one, because the end of a period is the start of the next, and the date of
 * its day. `toISOString` alone would take a quarter of the time of a year of prices.
 */
function instantWriter(): (at: Date) => string {
  let [last, text]: [Date | undefined, string] = [undefined, ''];
  let [day, date] = [Number.NaN, ''];
  return (at) => {
    if (at === last) return text;
    const dayOfAt = Math.floor(at.getTime() / DAY_MS);
    if (dayOfAt !== day) [day, date] = [dayOfAt, dateOf(at)];
    const time = TIMES[(at.getTime() - day * DAY_MS) / MINUTE_MS] ?? timeOf(at);
    [last, text] = [at, `"${date}${time}"`];
    return text;
  };
}

function dateOf(at: Date): string {
  return at.toISOString().slice(0, -'T00:00:00.000Z'.length);
}

function timeOf(at: Date): string {
  return at.toISOString().slice(-'T00:00:00.000Z'.length);
}
