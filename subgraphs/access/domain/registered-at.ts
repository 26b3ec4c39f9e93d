import type { Violation } from '../../../schema/register-error';
import type { RegistrationRule } from './registration-rules';

const TOLERANCE_MS = 5 * 60_000;
const REGISTERED_AT = ['accessEvent', 'registeredAt'];

/** `registered-at` is not in the future, give or take the clock of the client, and not after `expiry` (decisions A/B, section 3). */
export const registeredAt: RegistrationRule = ({ accessEvent }, { now }) => {
  const refused = (message: string): Violation[] => [{ code: 'VAL003', path: REGISTERED_AT, message }];
  const at = accessEvent.registeredAt.getTime();
  if (at > now.getTime() + TOLERANCE_MS) return refused('must not lie in the future');
  if (accessEvent.expiry != null && at > accessEvent.expiry.getTime()) return refused('must not lie after expiry');
  return [];
};
