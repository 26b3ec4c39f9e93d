import fc from 'fast-check';
import { future, isSeen, passed, valuesOf } from './contract-values';
import type { Schema } from './served-contract';
import { CONSENT_BASES, type WireController, type WireRecord } from './wire-record';

const BASES = [...CONSENT_BASES, 'uk-public-task', 'uk-legitimate-interests', 'uk-legal-obligation', 'uk-contract'];
const TERMS = { 'terms-url': 'https://harbourlight.example/terms', 'notice-version': '3.0' };

/** Choices that turn values of the schema into a record that satisfies the rules, too. */
const choicesOf = (bases: readonly string[]) =>
  fc.record({
    type: fc.constantFrom('sole' as const, 'joint' as const, 'group' as const),
    basis: fc.constantFrom(...bases),
    perController: fc.boolean(),
    lead: fc.nat(3),
    historic: fc.boolean(),
    passed: fc.option(passed),
    future: fc.option(future),
  });
type Choices = ReturnType<typeof choicesOf> extends fc.Arbitrary<infer Values> ? Values : never;

/** Access records that satisfy the contract's schema and all rules, linked to an Identity Record. */
export function lawfulRecords(
  schema: Schema,
  identityRecordRef: string,
  duid: string,
  bases: readonly string[] = BASES,
): fc.Arbitrary<WireRecord> {
  return fc.tuple(valuesOf(schema), choicesOf(bases)).map(([value, chosen]) => {
    const record = structuredClone(value) as WireRecord;
    const metadata = record['record-metadata'];
    metadata['identity-record-ref'] = identityRecordRef;
    if (metadata.duid !== undefined) metadata.duid = duid;
    delete record['reidentification-token'];
    arrange(record, chosen);
    populate(record, chosen);
    const event = record['access-event'];
    event.state = chosen.historic && chosen.passed !== null ? 'EXPIRED' : 'ACTIVE';
    event.expiry = chosen.historic ? chosen.passed : chosen.future;
    event['registered-at'] = atMost(event['registered-at'], event.expiry);
    useCodes(record);
    return record;
  });
}

/** `registered-at` must not be in the future or after the expiry. */
function atMost(registeredAt: string, expiry: string | null | undefined): string {
  const latest = Math.min(Date.now(), expiry ? Date.parse(expiry) : Infinity);
  const isEarly = Date.parse(registeredAt.replace('t', 'T').replace('z', 'Z')) <= latest;
  return isEarly ? registeredAt : new Date(latest).toISOString();
}

/** Replaces the language and country codes, which the schema limits to two letters, by existing ones. */
function useCodes(record: WireRecord): void {
  for (const { 'storage-conditions': conditions } of controllersOf(record))
    if (conditions) conditions.location = conditions.location < 'N' ? 'GB' : 'IE';
  for (const notice of [record.notice?.['shared-notice'], ...(record.notice?.notices ?? [])])
    if (notice?.['notice-language']) notice['notice-language'] = notice['notice-language'] < 'n' ? 'cy' : 'en';
}

function arrange(record: WireRecord, { type, lead }: Choices): void {
  const arrangement = record['record-metadata']['controller-arrangement'];
  const [first] = arrangement.controllers as [WireController, ...WireController[]];
  if (type === 'sole') arrangement.controllers = [first];
  if (type === 'joint' && arrangement.controllers.length === 1) arrangement.controllers.push(structuredClone(first));
  const { controllers } = arrangement;
  arrangement['arrangement-type'] = type;
  const reference = arrangement['art26-reference'] ?? '';
  arrangement['art26-reference'] = type === 'joint' ? (isSeen(reference) ? reference : 'ART26-2026-004') : null;
  for (const [index, controller] of controllers.entries()) {
    controller.name = `${Array.from(controller.name).slice(0, 250).join('')}${index}`;
    const isLead = index === lead % controllers.length;
    const otherRole = type === 'joint' ? 'joint' : 'member';
    controller.role = isLead ? (type === 'sole' ? 'sole' : 'lead') : otherRole;
    if (isLead) controller['privacy-rights-url'] ??= controller['contact-url'];
  }
}

function populate(record: WireRecord, { type, basis, perController }: Choices): void {
  record.processing['legal-basis'] = basis;
  const event = record['access-event'];
  if (!CONSENT_BASES.includes(basis)) {
    record.notice = null;
    if (event.consent !== undefined) event.consent = null;
    return;
  }
  event.consent ??= { 'consent-type': 'expressed-consent' };
  const detail = record.notice?.['shared-notice'] ?? TERMS;
  const { controllers } = record['record-metadata']['controller-arrangement'];
  record.notice =
    type === 'joint' && perController
      ? { notices: controllers.map(({ name }) => ({ ...detail, 'controller-name': name })) }
      : { 'shared-notice': detail, ...(perController ? { notices: null } : {}) };
}

/** Valid and nearly valid web addresses. */
const ODD_ADDRESSES = [
  'http://harbourlight.example/terms',
  'ftp://harbourlight.example/terms',
  'javascript:alert(1)',
  'https://user@harbourlight.example/',
  'https://user:word@harbourlight.example/',
  'https://@harbourlight.example/',
  'https://harbourlight.example/@terms?a=b@c',
  'https:harbourlight.example',
  'https:///terms',
  'https://',
  '//harbourlight.example/terms',
  'harbourlight.example',
  ' https://harbourlight.example/',
  'https://harbourlight.example/ ',
  'https://harbourlight.example/a b',
  'https://harbourlight.example/%zz',
  'https://harbourlight.example/%C3%A9',
  'https://harbourlight.example/é',
  'https://harbourlight.example:99999/',
  'https://harbourlight.example\\@evil.example/',
  'https://[::1',
  'https://256.256.256.256/',
  `https://harbourlight.example/${'p'.repeat(2049 - 'https://harbourlight.example/'.length)}`,
  `https://harbourlight.example/${'p'.repeat(2048 - 'https://harbourlight.example/'.length)}`,
  '',
];

/** One change of a record; the rules and their oracle decide what it violates. */
type Change = (record: WireRecord) => void;

const controllersOf = (record: WireRecord) => record['record-metadata']['controller-arrangement'].controllers;

/** Changes after which a record still satisfies the schema. */
function changes(identityRecordRef: string, duid: string): fc.Arbitrary<Change> {
  const keys = fc.constantFrom(identityRecordRef, null, undefined, `ir_${'0'.repeat(24)}`);
  return fc.oneof(
    fc.constantFrom(...READ_ONLY),
    fc.constantFrom(...ARRANGEMENTS),
    fc.constantFrom(...SECTIONS),
    fc.tuple(fc.nat(3), fc.constantFrom('sole', 'lead', 'joint', 'member')).map(([index, role]): Change => (record) => {
      const controllers = controllersOf(record);
      (controllers[index % controllers.length] as WireController).role = role;
    }),
    fc.constantFrom(...BASES).map(
      (basis): Change =>
        (record) =>
          void (record.processing['legal-basis'] = basis),
    ),
    fc.tuple(fc.constantFrom('ACTIVE', 'EXPIRED', 'REVOKED', 'DISCOVERED'), fc.option(fc.oneof(passed, future))).map(
      ([state, expiry]): Change =>
        ({ 'access-event': event }) =>
          Object.assign(event, { state, expiry }),
    ),
    fc.constantFrom('2026-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z').map(
      (instant): Change =>
        ({ 'access-event': event }) =>
          void (event['registered-at'] = instant),
    ),
    fc.constantFrom('GB', 'XX', 'UK').map(
      (location): Change =>
        (record) =>
          controllersOf(record).forEach(
            (each) => (each['storage-conditions'] = { location, 'retention-period': 'P2Y' }),
          ),
    ),
    keys.map((ref): Change => ({ 'record-metadata': metadata }) => {
      if (ref === undefined) delete metadata['identity-record-ref'];
      else metadata['identity-record-ref'] = ref;
    }),
    fc.constantFrom(`mlr_${'a'.repeat(24)}`, null, '').map(
      (token): Change =>
        (record) =>
          void (record['reidentification-token'] = token),
    ),
    fc.constantFrom(duid, `duid_${'0'.repeat(24)}`).map(
      (id): Change =>
        (record) =>
          void (record['record-metadata'].duid = id),
    ),
    fc.tuple(fc.nat(9), fc.constantFrom(...ODD_ADDRESSES)).map(
      ([place, address]): Change =>
        (record) =>
          setAddress(record, place, address),
    ),
  );
}

const READ_ONLY: readonly Change[] = [
  (record) => void (record['record-metadata']['record-identifier'] = `ak_${'0'.repeat(24)}`),
  (record) => void (record['record-metadata']['created-at'] = '2026-01-01T00:00:00Z'),
  (record) => void (record['access-event']['revoked-at'] = '2026-01-01T00:00:00Z'),
];

const ARRANGEMENTS: readonly Change[] = [
  ...(['sole', 'joint', 'group'] as const).map(
    (type): Change =>
      (record) =>
        void (record['record-metadata']['controller-arrangement']['arrangement-type'] = type),
  ),
  ...[null, '', 'ART26'].map(
    (reference): Change =>
      (record) =>
        void (record['record-metadata']['controller-arrangement']['art26-reference'] = reference),
  ),
  (record) => delete record['record-metadata']['controller-arrangement']['art26-reference'],
  (record) =>
    controllersOf(record).push({
      ...structuredClone(controllersOf(record)[0] as WireController),
      name: `another ${controllersOf(record).length}`,
    }),
  (record) => void (controllersOf(record).length > 1 && controllersOf(record).pop()),
  (record) => controllersOf(record).forEach((controller) => delete controller['privacy-rights-url']),
  (record) => moveFirstToEnd(controllersOf(record)),
];

const SECTIONS: readonly Change[] = [
  (record) => void (record.notice = null),
  (record) => void (record.notice = {}),
  (record) => void (record.notice = { 'shared-notice': null, notices: null }),
  (record) => void (record.notice = { 'shared-notice': TERMS }),
  (record) => void (record.notice = { ...record.notice, 'shared-notice': TERMS }),
  (record) => void (record.notice = { notices: noticesOf(record) }),
  (record) => void (record.notice = { ...record.notice, notices: noticesOf(record) }),
  (record) => moveFirstToEnd(record.notice?.notices ?? []),
  (record) => record.notice?.notices?.push({ ...TERMS, 'controller-name': 'nobody' }),
  (record) => void record.notice?.notices?.forEach((notice) => (notice['controller-name'] = 'nobody')),
  (record) => void (record['access-event'].consent = null),
  (record) => delete record['access-event'].consent,
  (record) => void (record['access-event'].consent = { 'consent-type': 'explicit-consent' }),
];

function moveFirstToEnd(entries: unknown[]): void {
  entries.push(...entries.splice(0, 1));
}

/** Returns one notice for each controller, and at least the two that the schema requires. */
function noticesOf(record: WireRecord) {
  const names = controllersOf(record).map(({ name }) => name);
  return [...names, ...(names.length < 2 ? ['nobody'] : [])].map((name) => ({ ...TERMS, 'controller-name': name }));
}

function setAddress(record: WireRecord, place: number, address: string): void {
  const controllers = controllersOf(record);
  const controller = controllers[place % controllers.length] as WireController;
  const places: (() => unknown)[] = [
    () => (controller['contact-url'] = address),
    () => (controller['privacy-rights-url'] = address),
    () =>
      record.notice?.['shared-notice'] &&
      (record.notice['shared-notice'] = { ...record.notice['shared-notice'], 'terms-url': address }),
    () => record.notice?.notices?.forEach((notice) => (notice['terms-url'] = address)),
    () => (record.processing.recipients = [{ name: 'Fernhollow', role: 'agent', 'privacy-url': address }]),
  ];
  places[place % places.length]?.();
}

/** Valid records with up to four changes: most are invalid. All satisfy the schema. */
export function changedRecords(
  lawful: fc.Arbitrary<WireRecord>,
  identityRecordRef: string,
  duid: string,
): fc.Arbitrary<WireRecord> {
  return fc.tuple(lawful, fc.array(changes(identityRecordRef, duid), { maxLength: 4 })).map(([record, made]) => {
    const changed = structuredClone(record);
    for (const change of made) change(changed);
    return changed;
  });
}
