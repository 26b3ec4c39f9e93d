import type { PricedHalfHour } from './priced-day';
import type { HalfHourPrice } from './operation-results';

/** Prices by consumption, published or computed by the register. */
interface Tiered {
  readonly tiers: readonly { readonly toKwh: string | null }[];
}

/** Returns the consumption for which each tier holds, as a prefix of its price; empty for a single tier. */
export function tierLimits({ tiers }: Tiered): string[] {
  if (tiers.length < 2) return tiers.map(() => '');
  return tiers.map(({ toKwh }, index) =>
    toKwh === null ? `above ${tiers[index - 1]?.toKwh ?? '0'} kWh ` : `up to ${toKwh} kWh `,
  );
}

/** Returns the limits of the tiers if they are the same all day; otherwise `first tier` and so on. */
export function commonLimits(halfHours: readonly PricedHalfHour<HalfHourPrice>[]): readonly string[] {
  const tiered = halfHours.flatMap(({ slot }) =>
    slot !== undefined && slot.tiers.length > 1 ? [tierLimits(slot)] : [],
  );
  const [first = [], ...others] = tiered;
  const isCommon = others.every((each) => each.join() === first.join());
  return isCommon ? first : ['first tier ', 'second tier ', 'third tier '];
}
