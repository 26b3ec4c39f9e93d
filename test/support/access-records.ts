import type { Violation } from '../../schema/register-error';
import type { AccessRecordInput, Controller } from '../../subgraphs/access/records/access-record';
import type { DiscoveredAccessReport } from '../../subgraphs/access/operator/discovered-access';
import type { RegistrationContext, RegistrationRule } from '../../subgraphs/access/records/rules/registration-rule';

/** Metadata of a registration in production at noon on 1 June 2026. */
export const FACTS: RegistrationContext = {
  duid: 'duid_0a1b2c3d4e5f60718293a4b5',
  production: true,
  now: new Date('2026-06-01T12:00:00Z'),
};

/** A complete controller. */
export const HARBOURLIGHT: Controller = {
  name: 'Harbourlight Insights Ltd',
  role: 'sole',
  contactUrl: 'https://harbourlight.example/contact',
  privacyRightsUrl: 'https://harbourlight.example/rights',
};

/** A second controller; tests set its role. */
export const FERNHOLLOW: Controller = {
  name: 'Fernhollow Flexibility Ltd',
  role: 'joint',
  contactUrl: 'https://fernhollow.example/contact',
};

/** The usual report of the communications operator. */
export const GADWALL: Omit<DiscoveredAccessReport, 'mpxn'> = {
  organisationName: 'Gadwall Analytics',
  organisationReference: 'ORG-7731',
  firstSeen: '2026-03-01',
  lastSeen: null,
  dataTypesObserved: ['HH-CONSUMPTION'],
  sourceReference: 'REPORT-1',
};

/** Returns a valid record on contract, changed by the test. */
export function recordOnContract(change: (record: AccessRecordInput) => void = () => undefined): AccessRecordInput {
  const record: AccessRecordInput = {
    recordMetadata: {
      schemaVersion: '1.0',
      controllerArrangement: {
        arrangementType: 'sole',
        art26Reference: null,
        controllers: [structuredClone(HARBOURLIGHT)],
      },
      identityRecordRef: 'ir_19c2e47ab0d35f8611a2b3c4',
    },
    notice: null,
    processing: { legalBasis: 'uk-contract', purpose: 'Demand flexibility service', dataTypes: ['HH-CONSUMPTION'] },
    accessEvent: { state: 'ACTIVE', registeredAt: new Date('2026-05-31T09:00:00Z'), expiry: null },
  };
  change(record);
  return record;
}

/** Returns a valid record on consent, changed by the test. */
export function recordOnConsent(change: (record: AccessRecordInput) => void = () => undefined): AccessRecordInput {
  return recordOnContract((record) => {
    record.processing.legalBasis = 'uk-consent';
    record.notice = { sharedNotice: { termsUrl: 'https://harbourlight.example/terms', noticeVersion: '3.0' } };
    record.accessEvent.consent = { consentType: 'expressed-consent', method: 'web-form' };
    change(record);
  });
}

/** Returns each violation as one line: `CODE path: message`. */
export function violationLines(violations: readonly Violation[]): string[] {
  return violations.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`);
}

/** Returns the violations that one rule reports for a record. */
export function reportedBy(
  rule: RegistrationRule,
  record: AccessRecordInput,
  facts: Partial<RegistrationContext> = {},
): string[] {
  return violationLines(rule(record, { ...FACTS, ...facts }));
}
