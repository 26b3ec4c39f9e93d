import type { RegistrationRule } from './registration-rules';

const STATE = ['accessEvent', 'state'];

/**
 * The state that may be supplied (2-decisions-a-b.md, section 3): ACTIVE; in POST also EXPIRED with a past expiry, for a historic
 * record. REVOKED is made by revocation, DISCOVERED by the communications operator.
 */
export const registeredState: RegistrationRule = ({ accessEvent }, { now, replaces }) => {
  const { state, expiry } = accessEvent;
  if (state === 'ACTIVE') return [];
  if (state !== 'EXPIRED' || replaces) {
    return [
      {
        code: 'VAL003',
        path: STATE,
        message: replaces ? 'must be ACTIVE' : 'must be ACTIVE, or EXPIRED for a historic record',
      },
    ];
  }
  const past = expiry != null && expiry.getTime() <= now.getTime();
  return past ? [] : [{ code: 'VAL003', path: STATE, message: 'EXPIRED needs an expiry that has passed' }];
};
