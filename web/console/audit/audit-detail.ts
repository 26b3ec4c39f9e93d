/** A value of an entry; undefined where there was or is none. */
interface StatedValue {
  readonly name: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** False if the value has no former one: it belongs to a new object, or describes the action. */
  readonly isChange: boolean;
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the values of an entry that differ from the former ones. */
export function statedValues(detail: unknown): readonly StatedValue[] {
  const { from, to, ...others } = valuesOf(detail);
  const [former, current] = [valuesOf(from), valuesOf(to)];
  const names = [...new Set([...Object.keys(former), ...Object.keys(current)])];
  const isChange = from != null;
  return [
    ...names.map((name) => statedValue(name, former[name], current[name], isChange)),
    ...Object.keys(others).map((name) => statedValue(name, undefined, others[name], false)),
  ].filter((value) => value.from !== value.to);
}

function statedValue(name: string, from: unknown, to: unknown, isChange: boolean): StatedValue {
  return { name: nameOf(name), from: written(from), to: written(to), isChange };
}

/** Entries of earlier releases have a text as former or new value. */
function valuesOf(value: unknown): Values {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Values;
  return value == null ? {} : { value };
}

/** Writes the name of a field as words: `callbackUrl` is `callback URL`. */
function nameOf(field: string): string {
  return field
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll(/\burl\b/g, 'URL')
    .replaceAll(/\burls\b/g, 'URLs')
    .replaceAll(/\bapi\b/g, 'API')
    .replaceAll(/\boauth\b/g, 'OAuth')
    .replaceAll(/\bsha256\b/g, 'SHA-256');
}

function written(value: unknown): string | undefined {
  if (value == null) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(String).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
