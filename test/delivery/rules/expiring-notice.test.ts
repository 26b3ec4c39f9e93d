import { type ExpiringRecord, isNoticeDue } from '../../../subgraphs/access/webhooks/webhook-event';

const NOW = new Date('2026-05-01T12:00:00.000Z');
const EXPIRY = new Date('2026-05-20T00:00:00.000Z');
const RECORD: ExpiringRecord = { state: 'ACTIVE', legalBasis: 'uk-consent', expiry: EXPIRY };

const CASES: [what: string, change: Partial<ExpiringRecord>, now: Date, isDue: boolean][] = [
  ['is due as long as the record is unchanged', {}, NOW, true],
  ['is due for explicit consent', { legalBasis: 'uk-explicit-consent' }, NOW, true],
  ['is not due for a revoked record', { state: 'REVOKED' }, NOW, false],
  ['is not due for an expired record', { state: 'EXPIRED' }, NOW, false],
  ['is not due for a discovered access', { state: 'DISCOVERED', legalBasis: null }, NOW, false],
  ['is not due for another legal basis', { legalBasis: 'uk-contract' }, NOW, false],
  ['is not due if the record was extended', { expiry: new Date('2027-05-20T00:00:00.000Z') }, NOW, false],
  ['is not due if the record was shortened', { expiry: new Date('2026-05-19T23:59:59.999Z') }, NOW, false],
  ['is not due if the record has no expiry any more', { expiry: null }, NOW, false],
  ['is due until the expiry', {}, new Date(EXPIRY.getTime() - 1), true],
  ['is not due from the expiry on', {}, EXPIRY, false],
];

describe('A notice that a consent expires', () => {
  it.each(CASES)('%s', (_, change, now, isDue) => {
    expect(isNoticeDue({ ...RECORD, ...change }, EXPIRY, now)).toBe(isDue);
  });
});
