type Json = Record<string, unknown>;

const INSTANTS = new Set(['registered-at', 'expiry', 'verified-at', 'consent-date', 'consent-expiry']);

/** Returns a body without nulls and with its instants in one form, for comparison with what the register returns. */
function comparable(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item));
  if (typeof value === 'string' && INSTANTS.has(name))
    return new Date(value.replace('t', 'T').replace('z', 'Z')).toISOString();
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  // Evidence has any form: the register returns it exactly, including nulls.
  return Object.fromEntries(members.map(([key, member]) => [key, key === 'detail' ? member : comparable(member, key)]));
}

/** Returns the expected response to a read after an accepted body. */
export function expectedReading(operationId: string, body: unknown, duid: string): unknown {
  const expected = comparable(body) as Record<string, Json>;
  if (operationId === 'registerIdentityRecord') {
    const { 'initiate-passkey-registration': _, 'passkey-return-url': __, state: ___, email, ...kept } = expected;
    return { ...kept, 'has-email': email !== undefined, credentials: [] };
  }
  const event = expected['access-event'] as Json;
  const hasPassed = event['expiry'] !== undefined && Date.parse(String(event['expiry'])) <= Date.now();
  return {
    ...expected,
    'record-metadata': { ...expected['record-metadata'], duid },
    processing: { ...expected['processing'], jurisdiction: 'GB' },
    'access-event': { ...event, state: hasPassed ? 'EXPIRED' : 'ACTIVE' },
  };
}

/** Returns the read object without the fields that the register adds. */
export function readingOf(operationId: string, body: unknown): unknown {
  const { 'access-record': record, 'identity-record': identity } = body as Record<string, Json>;
  if (operationId === 'registerIdentityRecord') {
    const { ir: _, 'created-at': __, ...kept } = identity ?? {};
    return comparable(kept);
  }
  const { 'record-metadata': metadata, ...kept } = (record ?? {}) as { 'record-metadata'?: Json };
  const { 'record-identifier': _, 'created-at': __, ...own } = metadata ?? {};
  return comparable({ 'record-metadata': own, ...kept });
}

/**
 * Returns the expected list of consents (Interface B) of a meter point after an accepted consent; empty after its end.
 */
export function expectedConsents(body: unknown): unknown[] {
  const { 'move-in-date': _, ...consent } = body as Json;
  const { 'consent-expiry': expiry } = consent['evidence'] as Json;
  const hasEnded = typeof expiry === 'string' && Date.parse(expiry) <= Date.now();
  return hasEnded ? [] : [comparable(consent)];
}

/** Returns the consents of a list. */
export function consentsOf(body: unknown): unknown[] {
  return (body as { readonly consents: readonly Json[] }).consents.map((consent) => comparable(consent));
}
