const SECONDS = /^\d{1,9}$/;
/** An HTTP date as senders write it (RFC 9110, 5.6.7), always in GMT. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Seconds that `Retry-After` asks to wait, in either form (RFC 9110, 10.2.3); null when it is absent or neither. A date counts from the
 * receiver's own `Date`, whatever its clock says, or from now without one.
 */
export function retryAfterSeconds(value: string | undefined, date: string | undefined): number | null {
  if (value === undefined) return null;
  if (SECONDS.test(value)) return Number(value);
  if (!HTTP_DATE.test(value)) return null;
  const until = Date.parse(value);
  const from = date !== undefined && HTTP_DATE.test(date) ? Date.parse(date) : Date.now();
  return Number.isNaN(until) || Number.isNaN(from) ? null : Math.max(0, Math.ceil((until - from) / 1000));
}
