/** Decimals of an amount in pounds; prices with VAT have at most seven (contract of `prices`). */
const DECIMALS = 12;

/** An exact amount: an integer of 10^-12 pounds. Conversions to `number` serve drawing only. */
export type Amount = bigint;

/** Parses a decimal string of pounds. */
export function amountOf(pounds: string): Amount {
  const [, sign = '', whole = '', places = ''] = DECIMAL.exec(pounds) ?? [];
  if (whole === '' || places.length > DECIMALS) throw new Error(`not an amount: ${pounds}`);
  const units = BigInt(whole + places.padEnd(DECIMALS, '0'));
  return sign === '' ? units : -units;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** One penny. */
export const PENNY: Amount = 10n ** BigInt(DECIMALS - 2);

/** Formats an amount in pence without rounding, with at least `minDecimals` decimals. */
export function pence(amount: Amount, minDecimals: 2 | 0 = 2): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(DECIMALS - 1, '0');
  const places = digits
    .slice(2 - DECIMALS)
    .replace(/0+$/, '')
    .padEnd(minDecimals, '0');
  return `${amount < 0n ? '−' : ''}${digits.slice(0, 2 - DECIMALS)}${places === '' ? '' : `.${places}`}`;
}

/** Formats a decimal string of pounds in pence: `0.245` as `24.50`. */
export function penceOf(pounds: string): string {
  return pence(amountOf(pounds));
}

/** Returns the distinct amounts of decimal strings, smallest first. */
export function amountsOf(pounds: Iterable<string>): Amount[] {
  return [...new Set([...pounds].map(amountOf))].toSorted(byAmount);
}

function byAmount(one: Amount, other: Amount): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Returns the smallest step of 1, 2 or 5 times a power of ten that fulfils the condition. */
export function smallestRoundStep(fits: (step: Amount) => boolean): Amount {
  for (let power = 1n; ; power *= 10n) {
    for (const factor of [1n, 2n, 5n]) if (fits(factor * power)) return factor * power;
  }
}
