import { RegisterError } from '../../../schema/register-error';
import type { CallContext } from '../../server/caller';
import { HALF_HOUR } from '../domain/half-hours';

/** Half-hours whose prices a request may ask for over all its tariffs: more than a year of one, more than three days of each of 100. */
const MOST_HALF_HOURS = 18_000;

const asked = new WeakMap<CallContext, number>();

/** Counts the half-hours that a request asks for; VAL003 when these are too many. */
export function requireHalfHours(context: CallContext, from: Date, to: Date): void {
  const total = (asked.get(context) ?? 0) + (to.getTime() - from.getTime()) / HALF_HOUR;
  asked.set(context, total);
  if (total > MOST_HALF_HOURS)
    throw new RegisterError(
      'VAL003',
      `A request may ask for the prices of ${MOST_HALF_HOURS} half-hours over all tariffs`,
    );
}
