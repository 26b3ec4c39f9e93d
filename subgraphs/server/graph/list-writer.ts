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
export type ListWriter = (value: object) => string;

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

/** Returns a writer of instants that caches the text of the last one: the end of a period is the start of the next. */
function instantWriter(): (at: Date) => string {
  let [last, text]: [Date | undefined, string] = [undefined, ''];
  return (at) => {
    if (at !== last) [last, text] = [at, `"${at.toISOString()}"`];
    return text;
  };
}
