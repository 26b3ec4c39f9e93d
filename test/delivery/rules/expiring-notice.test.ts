import { type NoticedRecord, isNoticeDue } from '../../../subgraphs/access/domain/expiring-notice';

const NOW = new Date('2026-05-01T12:00:00.000Z');
const EXPIRY = new Date('2026-05-20T00:00:00.000Z');
const RECORD: NoticedRecord = { state: 'ACTIVE', legalBasis: 'uk-consent', expiry: EXPIRY };

const CASES: [what: string, change: Partial<NoticedRecord>, now: Date, isDue: boolean][] = [
  ['is due as long as the record stays as it was', {}, NOW, true],
  ['is due on explicit consent', { legalBasis: 'uk-explicit-consent' }, NOW, true],
  ['is not due of a record that was revoked', { state: 'REVOKED' }, NOW, false],
  ['is not due of a record that has ended', { state: 'EXPIRED' }, NOW, false],
  ['is not due of a discovered access', { state: 'DISCOVERED', legalBasis: null }, NOW, false],
  ['is not due on another basis', { legalBasis: 'uk-contract' }, NOW, false],
  ['is not due when the record was extended', { expiry: new Date('2027-05-20T00:00:00.000Z') }, NOW, false],
  ['is not due when the record was shortened', { expiry: new Date('2026-05-19T23:59:59.999Z') }, NOW, false],
  ['is not due when the record has no expiry any more', { expiry: null }, NOW, false],
  ['is due until the expiry', {}, new Date(EXPIRY.getTime() - 1), true],
  ['is not due from the expiry on', {}, EXPIRY, false],
];

describe('A notice that a consent expires', () => {
  it.each(CASES)('%s', (_, change, now, isDue) => {
    expect(isNoticeDue({ ...RECORD, ...change }, EXPIRY, now)).toBe(isDue);
  });
});
