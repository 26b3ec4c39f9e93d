import { type RateLimit, rateLimit } from '../../server/rate-limits';
import type { Foundation } from '../foundation';

/** How often an account may ask about customers by MPxN, in a minute and in a day: existence checks and re-identifications together. */
export function existenceLimits({ rateLimits, limits }: Pick<Foundation, 'rateLimits' | 'limits'>): RateLimit[] {
  return [
    rateLimit(rateLimits, 'exists-minute', limits.existsMinute, 60),
    rateLimit(rateLimits, 'exists-day', limits.existsDay, 24 * 3600),
  ];
}
