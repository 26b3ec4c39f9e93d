import fc from 'fast-check';
import { loadContract } from '../../../rest-adapter/contract/contract';
import { INTERFACE_A } from '../../../rest-adapter/contract/interfaces';
import { graphqlName } from '../../../schema/naming';
import type { AccessRecordInput } from '../../../subgraphs/access/records/access-record';
import { registrationViolations } from '../../../subgraphs/access/records/rules/registration-rules';
import { changedRecords, lawfulRecords } from '../../support/properties/access-record-values';
import { type OracleFacts, brokenConditions, disagreements } from '../../support/properties/access-rules-oracle';
import { HOSTILE } from '../../support/properties/contract-violations';
import { holdsForAll } from '../../support/properties/property-run';
import type { Schema } from '../../support/properties/served-contract';
import type { WireRecord } from '../../support/properties/wire-record';

const RUNS = 500;
const DUID = 'duid_0a1b2c3d4e5f60718293a4b5';
const REF = 'ir_19c2e47ab0d35f8611a2b3c4';

const contract = loadContract(INTERFACE_A);
const schema = contract.operations.find(({ operationId }) => operationId === 'registerAccessRecord')?.body as Schema;
const lawful = lawfulRecords(schema, REF, DUID);

/** Registrations and replacements, in production and outside. */
const situations: fc.Arbitrary<OracleFacts> = fc.record({
  duid: fc.constant(DUID),
  production: fc.boolean(),
  now: fc.constant(new Date()),
  replaces: fc.constantFrom(undefined, REF, null),
});

/** Texts in places where the schema would not have let them pass: callers of the graph come past it. */
const pastTheSchema: readonly ((record: WireRecord) => void)[] = [
  (record) => void (record['record-metadata']['schema-version'] = ''),
  (record) => void (record['record-metadata']['schema-version'] = 'é'.repeat(21)),
  (record) => void (record['record-metadata']['controller-arrangement']['art26-reference'] = '👩'.repeat(501)),
  (record) => void (record['record-metadata']['controller-arrangement'].controllers = []),
  (record) => record['record-metadata']['controller-arrangement'].controllers.forEach((each) => (each.name = '')),
  (record) =>
    record['record-metadata']['controller-arrangement'].controllers.forEach((each) =>
      Object.assign(each, {
        'lia-reference': 'x'.repeat(256),
        'statutory-reference': 'x'.repeat(500),
        'storage-conditions': { location: 'gb', 'retention-period': 'P' },
        address: { addressLine1: '', townCity: 'x'.repeat(101), postcode: 'nr1 4ab', county: '👩'.repeat(100) },
      }),
    ),
  ...[
    'PT',
    'P1Y2Y',
    'P1DT',
    'P1M1Y',
    'P1W2D',
    'P0D',
    '1Y',
    'P1.5Y',
    'P1Y0,5M',
    'P1.5Y2M',
    'PT.5S',
    'PT5M',
    'P99999Y',
  ].map(
    (period) => (record: WireRecord) =>
      record['record-metadata']['controller-arrangement'].controllers.forEach(
        (each) => (each['storage-conditions'] = { location: 'GB', 'retention-period': period }),
      ),
  ),
  (record) =>
    void (record.notice = { notices: [{ 'controller-name': '', 'terms-url': HOSTILE, 'notice-version': '' }] }),
  (record) =>
    void (record.notice = {
      'shared-notice': { 'terms-url': '', 'notice-version': 'x'.repeat(51), 'notice-language': 'EN' },
    }),
  (record) => void (record.processing.purpose = '👩'.repeat(500)),
  (record) => void (record.processing.purpose = 'x'.repeat(501)),
  (record) => void (record.processing['data-types'] = []),
  (record) => record.processing['data-types'].push(record.processing['data-types'][0] ?? 'HH-EXPORT'),
  (record) => void (record.processing['data-source'] = 'x'.repeat(256)),
  (record) => void (record.processing.recipients = [{ name: '', role: 'x'.repeat(101) }]),
  (record) => void (record['access-event']['controller-reference'] = 'x'.repeat(256)),
  (record) => void (record['access-event'].consent = { 'consent-type': 'expressed-consent', method: 'x'.repeat(101) }),
];

const unbounded = fc
  .tuple(changedRecords(lawful, REF, DUID), fc.subarray([...pastTheSchema], { maxLength: 2 }))
  .map(([record, changes]) => {
    for (const change of changes) change(record);
    return record;
  });

describe('The rules of an access record', () => {
  it('accept every lawful record', async () => {
    await holdsForAll(lawful, RUNS, (record) => {
      const facts = { duid: DUID, production: false, now: new Date(), replaces: undefined };
      expect([brokenConditions(record, facts), reported(record, facts)]).toEqual([[], []]);
    });
  });

  it.each([
    ['a record of the contract with up to four changes', changedRecords(lawful, REF, DUID)],
    ['a record past the limits of the contract', unbounded],
  ])('report exactly the conditions of the specification that %s violates', async (_, records) => {
    let rejected = 0;
    await holdsForAll(fc.tuple(records, situations), RUNS, ([record, facts]) => {
      const violations = reported(record, facts);
      const broken = brokenConditions(record, facts).map(({ code, at }) => ({ code, at: inGraphNames(at) }));
      rejected += violations.length > 0 ? 1 : 0;
      expect(disagreements(violations, broken)).toEqual([]);
    });
    expect(rejected).toBeGreaterThan(RUNS / 4);
  });

  it('report one violation per field, and never the value', async () => {
    await holdsForAll(fc.tuple(unbounded, situations), RUNS, ([record, facts]) => {
      const violations = violationsOf(record, facts);
      expect(new Set(violations.map(({ path }) => path.join('/'))).size).toBe(violations.length);
      expect(violations.filter(({ message }) => message.includes(HOSTILE))).toEqual([]);
    });
  });
});

function reported(record: WireRecord, facts: OracleFacts) {
  return violationsOf(record, facts).map(({ code, path }) => ({
    code,
    pointer: path.map((step) => `/${step}`).join(''),
  }));
}

function violationsOf(record: WireRecord, { replaces, ...facts }: OracleFacts) {
  return registrationViolations(inputOf(record), {
    ...facts,
    ...(replaces === undefined ? {} : { replaces: { identityRecordRef: replaces } }),
  });
}

function inGraphNames(pointer: string): string {
  return pointer.split('/').map(graphqlName).join('/');
}

/** The record in the graph's names; instants become dates. */
function inputOf(record: WireRecord): AccessRecordInput {
  const input = renamed(record) as AccessRecordInput;
  const { 'registered-at': registeredAt, expiry } = record['access-event'];
  Object.assign(input.accessEvent, {
    registeredAt: new Date(registeredAt),
    expiry: expiry === null ? null : new Date(expiry),
  });
  return input;
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [graphqlName(name), renamed(member)]));
}
