import type { AccessRecordInput } from '../../../subgraphs/access/records/access-record';
import { registrationRules, registrationViolations } from '../../../subgraphs/access/records/rules/registration-rules';
import { FACTS, FERNHOLLOW, recordOnConsent, recordOnContract, violationLines } from '../../support/access-records';

const violations = (record: AccessRecordInput) => violationLines(registrationViolations(record, FACTS));

/** Breaks most rules once; `registeredAt` and `codeLists` have tables of their own. */
const everythingWrong = () =>
  recordOnConsent(({ recordMetadata, notice, processing, accessEvent }) => {
    recordMetadata.recordIdentifier = 'ak_5d3f9a1c7be2048643d1e0fa';
    recordMetadata.identityRecordRef = null;
    recordMetadata.controllerArrangement.art26Reference = 'Section 4';
    accessEvent.consent = null;
    accessEvent.state = 'REVOKED';
    if (notice?.sharedNotice) notice.sharedNotice.termsUrl = 'nowhere';
    processing.purpose = '';
  });

describe('The rules of registering an access record', () => {
  it('are the limits of fields, then those in the order of the specification, then those of the decisions', () => {
    expect(registrationRules.map(({ name }) => name)).toEqual([
      'fieldLimits',
      'readOnlyFields',
      'identityLink',
      'controllerArrangement',
      'legalBasisPopulation',
      'registeredState',
      'registeredAt',
      'webAddresses',
      'codeLists',
    ]);
  });

  it('find nothing wrong with a lawful record', () => {
    expect(violations(recordOnContract())).toEqual([]);
    expect(violations(recordOnConsent())).toEqual([]);
  });

  it('return all violations together, in their order', () => {
    expect(violations(everythingWrong()).map((line) => line.split(':')[0])).toEqual([
      'VAL003 processing/purpose',
      'VAL004 recordMetadata/recordIdentifier',
      'VAL005 recordMetadata/identityRecordRef',
      'VAL006 recordMetadata/controllerArrangement/art26Reference',
      'VAL007 accessEvent/consent',
      'VAL003 accessEvent/state',
      'VAL008 notice/sharedNotice/termsUrl',
    ]);
  });

  it('return one violation per field, of the first rule that it violates', () => {
    const tooManyNotices = recordOnConsent((record) => {
      record.recordMetadata.controllerArrangement = {
        arrangementType: 'joint',
        art26Reference: 'Section 4',
        controllers: [],
      };
      record.notice = { notices: [] };
    });
    const fields = violations(tooManyNotices).map((line) => line.split(':')[0]);
    expect(fields).toContain('VAL003 recordMetadata/controllerArrangement/controllers');
    expect(fields).toContain('VAL003 notice/notices');
    expect(new Set(fields.map((field) => field?.split(' ')[1])).size).toBe(fields.length);
  });

  it('never echo a value', () => {
    const record = everythingWrong();
    record.recordMetadata.schemaVersion = 'Zzyzx-'.repeat(10);
    record.recordMetadata.controllerArrangement.controllers = [
      { ...FERNHOLLOW, name: 'Zzyzx'.repeat(100), contactUrl: 'Zzyzx' },
    ];
    record.processing.jurisdiction = 'Zzyzx';
    expect(violations(record).length).toBeGreaterThan(9);
    expect(violations(record).join()).not.toContain('Zzyzx');
  });
});
