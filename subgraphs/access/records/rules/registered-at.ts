import type { Violation } from '../../../../schema/register-error';
import type { RegistrationRule } from './registration-rule';

const TOLERANCE_MS = 5 * 60_000;
const REGISTERED_AT = ['accessEvent', 'registeredAt'];

/**
 * `registered-at` is not in the future, with a tolerance of five minutes for the client's clock, and not after `expiry` (decisions A/B, 3).
 */
export const registeredAt: RegistrationRule = ({ accessEvent }, { now }) => {
  const violation = (message: string): Violation[] => [{ code: 'VAL003', path: REGISTERED_AT, message }];
  const at = accessEvent.registeredAt.getTime();
  if (at > now.getTime() + TOLERANCE_MS) return violation('must not be in the future');
  if (accessEvent.expiry != null && at > accessEvent.expiry.getTime()) return violation('must not be after expiry');
  return [];
};
