import { isInFuture } from '../../../../schema/future-date';
import type { Violation } from '../../../../schema/register-error';
import type { RegistrationRule } from './registration-rule';

const REGISTERED_AT = ['accessEvent', 'registeredAt'];

/**
 * `registered-at` is not in the future, with a tolerance of five minutes for the client's clock, and not after `expiry` (decisions A/B, 3).
 */
export const registeredAt: RegistrationRule = ({ accessEvent }, { now }) => {
  const violation = (message: string): Violation[] => [{ code: 'VAL003', path: REGISTERED_AT, message }];
  const { registeredAt: at, expiry } = accessEvent;
  if (isInFuture(at, now)) return violation('must not be in the future');
  if (expiry != null && at > expiry) return violation('must not be after expiry');
  return [];
};
