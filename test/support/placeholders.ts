import * as identifiers from '../../schema/identifiers';

/** Values that the exchanges of one file share by name. */
export type Variables = Map<string, string>;

/** Kinds of unknown values in expectations. If a kind is a part of a text, the part is stored. */
const KINDS: Readonly<Record<string, RegExp>> = {
  'access-key': identifiers.ACCESS_KEY_PATTERN,
  'consent-key': identifiers.CONSENT_KEY_PATTERN,
  'identity-record-key': identifiers.IDENTITY_RECORD_KEY_PATTERN,
  duid: identifiers.DUID_PATTERN,
  account: /^acc_[0-9a-f]{24}$/,
  instant: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  secret: /^sk_[\w-]{43}$/,
  token: /^[\w-]+\.[\w-]+\.[\w-]+$/,
  cursor: /^[\w-]{1,512}$/,
  'token-ref': identifiers.TOKEN_REF_PATTERN,
  'credential-id': identifiers.CREDENTIAL_ID_PATTERN,
  'web-address': /^https?:\/\/\S+$/,
  'webhook-id': identifiers.WEBHOOK_ID_PATTERN,
  'event-id': identifiers.EVENT_ID_PATTERN,
  'signing-secret': /^whsec_[A-Za-z0-9+/]{43}=$/,
  'mailed-secret': /\/(?:link|proof)\/([\w-]{43})\b/,
  'upload-address': /^\/grid-modelling\/uploads\/[\w-]{43}$/,
  'entity-tag': /^"[0-9a-f]{64}"$/,
  digest: /^[0-9a-f]{64}$/,
  'tariff-id': identifiers.TARIFF_ID_PATTERN,
  'user-id': identifiers.RTI_USER_ID_PATTERN,
  uuid: identifiers.UUID_PATTERN,
  text: /./,
};

const PLACEHOLDER = /\{\{([^{}]+)\}\}/g;
const REPEATED = /^(\d+) × (.+)$/u;
const LATER = /^in (\d+) seconds$/;
const EARLIER = /^(\d+) seconds ago$/;
const DIGITS = /^digits of (.+)$/;

/** Replaces the placeholders of a text by their values; throws if one has none. */
export function filled(text: string, variables: Variables): string {
  return text.replace(PLACEHOLDER, (_, inner: string) => {
    const known = variables.get(inner) ?? digitsOf(inner, variables) ?? computed(inner);
    if (known === undefined) throw new Error(`nothing is known as {{${inner}}}`);
    return known;
  });
}

/** The digits of a key, without its prefix. */
function digitsOf(inner: string, variables: Variables): string | undefined {
  const [, name = ''] = DIGITS.exec(inner) ?? [];
  return variables.get(name)?.split('_')[1];
}

function computed(inner: string): string | undefined {
  const [, times, piece] = REPEATED.exec(inner) ?? [];
  if (times !== undefined && piece !== undefined) return piece.repeat(Number(times));
  const later = LATER.exec(inner)?.[1];
  const earlier = EARLIER.exec(inner)?.[1];
  if (later === undefined && earlier === undefined) return undefined;
  return new Date(Date.now() + 1000 * (Number(later ?? 0) - Number(earlier ?? 0))).toISOString();
}

const WANTED = /^\{\{(?:([\w.]+) = )?(?:any )?([a-z-]+)\}\}$/;

/**
 * Returns the differences between a response and the expected one. Stores the values of placeholders such as `{{key =
 * access-key}}`.
 */
export function differences(expected: unknown, actual: unknown, variables: Variables, at = ''): string[] {
  if (typeof expected === 'string') return textDifferences(expected, actual, variables, at);
  if (Array.isArray(expected)) return listDifferences(expected, actual, variables, at);
  if (typeof expected === 'object' && expected !== null) return objectDifferences(expected, actual, variables, at);
  return expected === actual ? [] : [`${at}: expected ${String(expected)}, found ${JSON.stringify(actual)}`];
}

function textDifferences(expected: string, actual: unknown, variables: Variables, at: string): string[] {
  const [, name, kind = ''] = WANTED.exec(expected) ?? [];
  const pattern = KINDS[kind];
  if (pattern === undefined) {
    const wanted = filled(expected, variables);
    return wanted === actual ? [] : [`${at}: expected ${JSON.stringify(wanted)}, found ${JSON.stringify(actual)}`];
  }
  const match = typeof actual === 'string' ? pattern.exec(actual) : null;
  if (match === null) return [`${at}: expected a ${kind}, found ${JSON.stringify(actual)}`];
  if (name !== undefined) variables.set(name, match[1] ?? match.input);
  return [];
}

/** `"..."` as the last entry of a list allows more entries. */
function listDifferences(expected: unknown[], actual: unknown, variables: Variables, at: string): string[] {
  if (!Array.isArray(actual)) return [`${at}: expected a list, found ${JSON.stringify(actual)}`];
  const isOpen = expected.at(-1) === '...';
  const entries = isOpen ? expected.slice(0, -1) : expected;
  const fits = isOpen ? actual.length >= entries.length : actual.length === entries.length;
  if (!fits) return [`${at}: expected ${entries.length} entries, found ${JSON.stringify(actual)}`];
  return entries.flatMap((entry, index) => differences(entry, actual[index], variables, `${at}/${index}`));
}

/** `"...": true` allows more members. */
function objectDifferences(expected: object, actual: unknown, variables: Variables, at: string): string[] {
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) {
    return [`${at}: expected an object, found ${JSON.stringify(actual)}`];
  }
  const { '...': isOpen, ...members } = expected as Record<string, unknown>;
  const found = actual as Record<string, unknown>;
  const extra = isOpen === true ? [] : Object.keys(found).filter((name) => !(name in members));
  return [
    ...extra.map((name) => `${at}/${name}: not expected, found ${JSON.stringify(found[name])}`),
    ...Object.entries(members).flatMap(([name, member]) =>
      differences(member, found[name], variables, `${at}/${name}`),
    ),
  ];
}
