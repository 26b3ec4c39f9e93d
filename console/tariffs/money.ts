/** Places behind the point that amounts are compared with: those of a price with VAT are at most seven (contract of `prices`). */
const PLACES = 12;

/** An amount of pounds as a whole number of its smallest part: exact, and a number only where a pixel is sought. */
export type Amount = bigint;

/** The amount that a decimal string of pounds says. */
export function amountOf(pounds: string): Amount {
  const [, sign = '', whole = '', places = ''] = DECIMAL.exec(pounds) ?? [];
  if (whole === '' || places.length > PLACES) throw new Error(`not an amount: ${pounds}`);
  const units = BigInt(whole + places.padEnd(PLACES, '0'));
  return sign === '' ? units : -units;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** A penny. */
export const PENNY: Amount = 10n ** BigInt(PLACES - 2);

/** An amount in pence, exact: with at least two places, or with as few as say it. */
export function pence(amount: Amount, fewest: 2 | 0 = 2): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(PLACES - 1, '0');
  const places = digits
    .slice(2 - PLACES)
    .replace(/0+$/, '')
    .padEnd(fewest, '0');
  return `${amount < 0n ? '−' : ''}${digits.slice(0, 2 - PLACES)}${places === '' ? '' : `.${places}`}`;
}

/** A decimal string of pounds in pence, exact: of `0.245` the text `24.50`. */
export function penceOf(pounds: string): string {
  return pence(amountOf(pounds));
}

/** The amounts of these strings, each once, the least first. */
export function amountsOf(pounds: Iterable<string>): Amount[] {
  return [...new Set([...pounds].map(amountOf))].toSorted(byAmount);
}

function byAmount(one: Amount, other: Amount): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The least step of 1, 2 or 5 times a power of ten, for which the condition holds. */
export function leastRoundStep(fits: (step: Amount) => boolean): Amount {
  for (let power = 1n; ; power *= 10n) {
    for (const factor of [1n, 2n, 5n]) if (fits(factor * power)) return factor * power;
  }
}
