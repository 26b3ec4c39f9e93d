import fc from 'fast-check';
import { lawfulRecords } from './access-record-values';
import { valuesOf } from './contract-values';
import type { Samples } from './property-samples';
import type { ServedOperation } from './served-contract';
import { CONSENT_BASES } from './wire-record';

type Json = Readonly<Record<string, unknown>>;

/**
 * Further conditions of a body: its own callback URL, ordered days up to today, names, the consumer of a consent, and
 * ascending values.
 */
const OTHERS: Readonly<Record<string, (body: Json, samples: Samples) => Json>> = {
  registerWebhook: (body) => ({ ...body, 'callback-url': newCallbackUrl() }),
  // A fourth rotation within 15 minutes is rejected.
  updateWebhook: (body) => ({
    ...body,
    ...('callback-url' in body ? { 'callback-url': newCallbackUrl() } : {}),
    'rotate-secret': false,
  }),
  reportDiscoveredAccess: (body) => {
    const first = byToday(String(body['first-seen']));
    const last = typeof body['last-seen'] === 'string' ? byToday(body['last-seen']) : body['last-seen'];
    const days = {
      'first-seen': first,
      ...(last === undefined ? {} : { 'last-seen': last !== null && String(last) < first ? first : last }),
    };
    return { ...body, ...days };
  },
  recordChangeOfTenancy: (body) => body,
  registerConsent: (body, { duid }) => ({ ...body, duid, evidence: consentedInTime(body['evidence'] as Json) }),
  giveTariffConsent: (body) => body,
  registerRtiWebhook: () => ({ webhook_url: newCallbackUrl() }),
  submitPerformanceReport: (body) => {
    const [start, end] = [String(body['period_start']), String(body['period_end'])];
    const percentiles = Object.values(body['response_time_ms'] as Record<string, number>);
    const [p50 = 0, p95 = 0, p99 = 0] = percentiles.toSorted((one, other) => one - other);
    const [from, to] = [start, end].map((at) => Math.min(Date.parse(at.toUpperCase()), Date.now() - 1000)) as [
      number,
      number,
    ];
    const ahead = Math.floor(from / 1000) * 1000 + 1000;
    return {
      ...body,
      period_start: new Date(from).toISOString(),
      period_end: new Date(to > from ? to : ahead).toISOString(),
      // Each is at least the previous one; often they are equal.
      response_time_ms: { p50: p95 % 2 === 0 ? p95 : p50, p95, p99: p50 % 2 === 0 ? p95 : p99 },
    };
  },
};

/** A consent must not be given in the future or after its end. */
function consentedInTime(evidence: Json): Json {
  const { 'consent-date': date, 'consent-expiry': expiry } = evidence;
  const at = (instant: unknown) => Date.parse(String(instant).toUpperCase());
  const latest = Math.min(Date.now(), typeof expiry === 'string' ? at(expiry) : Infinity);
  return at(date) <= latest ? evidence : { ...evidence, 'consent-date': new Date(latest).toISOString() };
}

/** A verification must not be in the future. */
function verifiedInTime(record: Json): Json {
  const evidence = record['principal-verification'] as Json | null | undefined;
  if (evidence == null || Date.parse(String(evidence['verified-at']).toUpperCase()) <= Date.now()) return record;
  return { ...record, 'principal-verification': { ...evidence, 'verified-at': new Date().toISOString() } };
}

/** A day must not be in the future. */
function byToday(day: string): string {
  const today = new Date().toISOString().slice(0, 10);
  return day > today ? today : day;
}

let callbackUrls = 0;

function newCallbackUrl(): string {
  callbackUrls += 1;
  return `https://webhooks.example/${callbackUrls}`;
}

/** Operations whose body is an archive. */
export const ARCHIVE_BODIES: readonly string[] = ['uploadArchive', 'checkArchive'];

/** Bodies that an operation accepts. */
export function acceptedBodies({ id, body }: ServedOperation, samples: Samples): fc.Arbitrary<unknown> {
  const { ir, duid, returnUrl, archive } = samples;
  if (ARCHIVE_BODIES.includes(id)) return fc.constant(archive);
  if (!body) return fc.constant(undefined);
  if (id === 'registerIdentityRecord')
    return valuesOf(body).map((record) => returning(verifiedInTime(record as Json), returnUrl));
  if (id === 'reidentify' || id === 'reidentifyOwn') return startedReidentifications(id, samples);
  const other = OTHERS[id];
  if (other) return valuesOf(body).map((value) => other(value as Json, samples));
  if (id === 'registerAccessRecord') return lawfulRecords(body, ir, duid);
  // The replaced record is based on consent and stays so.
  return lawfulRecords(body, ir, duid, CONSENT_BASES).map((record) => ({
    ...record,
    'access-event': { ...record['access-event'], state: 'ACTIVE' },
  }));
}

/** A return URL is one of the Data User; a passkey registration requires it. */
function returning(body: unknown, returnUrl: string): unknown {
  const record = body as Record<string, unknown>;
  const isRequired = record['initiate-passkey-registration'] === true;
  return isRequired || typeof record['passkey-return-url'] === 'string'
    ? { ...record, 'passkey-return-url': returnUrl }
    : record;
}

/** Methods that are available for a customer with an email address, each with its fields. */
function startedReidentifications(id: string, { mpxn, returnUrl }: Samples): fc.Arbitrary<unknown> {
  const nothing = fc.constantFrom(null, undefined);
  const whom = id === 'reidentify' ? { mpxn: fc.constant(mpxn) } : {};
  const magicLink = fc.record({
    ...whom,
    method: fc.constant('magic-link'),
    'redirect-url': fc.constantFrom(returnUrl, null, undefined),
    'passkey-return-url': nothing,
  });
  const passkey = fc.record({
    ...whom,
    method: fc.constant('passkey-register'),
    'redirect-url': nothing,
    'passkey-return-url': fc.constant(returnUrl),
  });
  return fc
    .oneof({ weight: 1, arbitrary: magicLink }, { weight: 3, arbitrary: passkey })
    .map((body) => JSON.parse(JSON.stringify(body)) as unknown);
}
