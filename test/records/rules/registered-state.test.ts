import type { AccessState } from '../../../subgraphs/access/records/access-record';
import { registeredState } from '../../../subgraphs/access/records/rules/supplied-fields';
import { FACTS, recordOnContract, reportedBy } from '../../support/access-records';

const NEW = 'VAL003 accessEvent/state: must be ACTIVE, or EXPIRED for a historic record';
const REPLACED = 'VAL003 accessEvent/state: must be ACTIVE';
const NOT_PASSED = 'VAL003 accessEvent/state: EXPIRED requires an expiry in the past';

const PAST = new Date(FACTS.now.getTime() - 1);
const THIS_INSTANT = FACTS.now;
const FUTURE = new Date(FACTS.now.getTime() + 1);

const table: [state: AccessState, expiry: Date | null | undefined, ofNew: string[], ofReplaced: string[]][] = [
  ['ACTIVE', null, [], []],
  ['ACTIVE', undefined, [], []],
  ['ACTIVE', FUTURE, [], []],
  ['ACTIVE', PAST, [], []],
  ['EXPIRED', PAST, [], [REPLACED]],
  ['EXPIRED', THIS_INSTANT, [], [REPLACED]],
  ['EXPIRED', FUTURE, [NOT_PASSED], [REPLACED]],
  ['EXPIRED', null, [NOT_PASSED], [REPLACED]],
  ['EXPIRED', undefined, [NOT_PASSED], [REPLACED]],
  ['REVOKED', null, [NEW], [REPLACED]],
  ['REVOKED', PAST, [NEW], [REPLACED]],
  ['DISCOVERED', null, [NEW], [REPLACED]],
  ['DISCOVERED', PAST, [NEW], [REPLACED]],
];

function inState(state: AccessState, expiry: Date | null | undefined) {
  return recordOnContract(({ accessEvent }) => {
    accessEvent.state = state;
    delete accessEvent.expiry;
    if (expiry !== undefined) accessEvent.expiry = expiry;
  });
}

describe('The state that is supplied', () => {
  it.each(table)(
    'of a new and of a replaced record is checked, here %s with the expiry %p',
    (state, expiry, ofNew, ofReplaced) => {
      expect(reportedBy(registeredState, inState(state, expiry))).toEqual(ofNew);
      expect(reportedBy(registeredState, inState(state, expiry), { replaces: { identityRecordRef: null } })).toEqual(
        ofReplaced,
      );
    },
  );
});
