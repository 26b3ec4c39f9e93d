import { isUuid } from '../../schema/identifiers';
import { MPXN_PROFILE, mpxnViolation } from '../../schema/mpxn';
import { throwViolations } from '../../schema/register-error';

/** Throws VAL001 unless the argument `mpxn` is an MPxN of the profile. */
export function requireMpxn(mpxn: string): void {
  const message = mpxnViolation(mpxn, MPXN_PROFILE);
  if (message !== undefined) throwViolations([{ code: 'VAL001', path: ['mpxn'], message }]);
}

/** Throws VAL001 at an argument unless it is the UUID of a consent or a webhook (decisions C/D, D.1). */
export function requireUuid(argument: string, text: string): void {
  if (!isUuid(text)) throwViolations([{ code: 'VAL001', path: [argument], message: 'is not a UUID' }]);
}
