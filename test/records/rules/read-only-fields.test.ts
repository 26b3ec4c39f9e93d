import type { AccessRecordInput } from '../../../subgraphs/access/records/access-record';
import { readOnlyFields } from '../../../subgraphs/access/records/rules/supplied-fields';
import { FACTS, recordOnContract, reportedBy } from '../../support/access-records';

const IDENTIFIER = 'VAL004 recordMetadata/recordIdentifier: is assigned by the register and must not be supplied';
const CREATED_AT = 'VAL004 recordMetadata/createdAt: is assigned by the register and must not be supplied';
const REVOKED_AT = 'VAL004 accessEvent/revokedAt: is set by the register on revocation and must not be supplied';
const DUID = 'VAL004 recordMetadata/duid: is not the Data User of the token';
const JURISDICTION = 'VAL003 processing/jurisdiction: must be GB';

const table: [sentence: string, change: (record: AccessRecordInput) => void, violations: string[]][] = [
  ['none of them', () => undefined, []],
  ['all of them as null', (record) => supply(record, null), []],
  [
    'the record identifier',
    ({ recordMetadata }) => (recordMetadata.recordIdentifier = 'ak_5d3f9a1c7be2048643d1e0fa'),
    [IDENTIFIER],
  ],
  ['an empty record identifier', ({ recordMetadata }) => (recordMetadata.recordIdentifier = ''), [IDENTIFIER]],
  ['the time of creation', ({ recordMetadata }) => (recordMetadata.createdAt = '2026-01-01T00:00:00Z'), [CREATED_AT]],
  ['the time of revocation', ({ accessEvent }) => (accessEvent.revokedAt = '2026-01-01T00:00:00Z'), [REVOKED_AT]],
  ["the caller's own DUID", ({ recordMetadata }) => (recordMetadata.duid = FACTS.duid), []],
  ["another Data User's DUID", ({ recordMetadata }) => (recordMetadata.duid = 'duid_ffffffffffffffffffffffff'), [DUID]],
  ['the jurisdiction GB', ({ processing }) => (processing.jurisdiction = 'GB'), []],
  ['another jurisdiction', ({ processing }) => (processing.jurisdiction = 'FR'), [JURISDICTION]],
  ['the jurisdiction in small letters', ({ processing }) => (processing.jurisdiction = 'gb'), [JURISDICTION]],
  ['all of them', (record) => supply(record, 'anything'), [IDENTIFIER, CREATED_AT, REVOKED_AT, DUID, JURISDICTION]],
];

function supply({ recordMetadata, processing, accessEvent }: AccessRecordInput, value: string | null): void {
  Object.assign(recordMetadata, { recordIdentifier: value, createdAt: value, duid: value });
  processing.jurisdiction = value;
  accessEvent.revokedAt = value;
}

describe('Fields that the register sets: a request supplies', () => {
  it.each(table)('%s', (_, change, expected) => {
    expect(reportedBy(readOnlyFields, recordOnContract(change))).toEqual(expected);
  });
});
