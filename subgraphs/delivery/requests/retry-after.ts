const SECONDS = /^\d{1,9}$/;
/** An HTTP date in its preferred format (RFC 9110, section 5.6.7). */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns the seconds of a `Retry-After` header in either form (RFC 9110, section 10.2.3); null if it is absent or
 * invalid. A date is relative to the `Date` header of the response, because the clock of the receiver may be wrong, or to
 * now without one.
 */
export function retryAfterSeconds(value: string | undefined, date: string | undefined): number | null {
  if (value === undefined) return null;
  if (SECONDS.test(value)) return Number(value);
  if (!HTTP_DATE.test(value)) return null;
  const until = Date.parse(value);
  const from = date !== undefined && HTTP_DATE.test(date) ? Date.parse(date) : Date.now();
  return Number.isNaN(until) || Number.isNaN(from) ? null : Math.max(0, Math.ceil((until - from) / 1000));
}
