import { registeredAt } from '../../../subgraphs/access/records/rules/registered-at';
import { FACTS, recordOnContract, reportedBy } from '../../support/access-records';

const FUTURE = 'VAL003 accessEvent/registeredAt: must not be in the future';
const AFTER = 'VAL003 accessEvent/registeredAt: must not be after expiry';
const MINUTES = 60_000;
const at = (milliseconds: number) => new Date(FACTS.now.getTime() + milliseconds);

describe('The instant at which access was registered', () => {
  it.each<[sentence: string, registered: Date, expiry: Date | null, violations: string[]]>([
    ['now', at(0), null, []],
    ['five minutes ahead, as clocks differ', at(5 * MINUTES), null, []],
    ['further ahead', at(5 * MINUTES + 1), null, [FUTURE]],
    ['further ahead, and after its expiry', at(6 * MINUTES), at(0), [FUTURE]],
    ['the instant of its expiry', at(-1), at(-1), []],
    ['after its expiry', at(-1), at(-2), [AFTER]],
    ['in the year 1', new Date('0001-01-01T00:00:00Z'), at(0), []],
  ])('must neither be in the future nor after the expiry: %s', (_, registered, expiry, violations) => {
    const record = recordOnContract(({ accessEvent }) => {
      Object.assign(accessEvent, { registeredAt: registered, expiry });
    });
    expect(reportedBy(registeredAt, record)).toEqual(violations);
    expect(reportedBy(registeredAt, record, { replaces: { identityRecordRef: null } })).toEqual(violations);
  });
});
