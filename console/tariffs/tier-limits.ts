import type { PricedHalfHour } from './priced-day';
import type { HalfHourPrice } from './register-answers';

/** Prices by how much is used, as they are published and as the register computes them. */
interface Tiered {
  readonly tiers: readonly { readonly toKwh: string | null }[];
}

/** For what each tier holds, before its price: nothing where there is only one. */
export function tierLimits({ tiers }: Tiered): string[] {
  if (tiers.length < 2) return tiers.map(() => '');
  return tiers.map(({ toKwh }, index) =>
    toKwh === null ? `above ${tiers[index - 1]?.toKwh ?? '0'} kWh ` : `up to ${toKwh} kWh `,
  );
}

/** For what the tiers of a day hold; where it differs through the day, only which tier it is. */
export function commonLimits(halfHours: readonly PricedHalfHour<HalfHourPrice>[]): readonly string[] {
  const tiered = halfHours.flatMap(({ slot }) =>
    slot !== undefined && slot.tiers.length > 1 ? [tierLimits(slot)] : [],
  );
  const [first = [], ...others] = tiered;
  const isCommon = others.every((each) => each.join() === first.join());
  return isCommon ? first : ['first tier ', 'second tier ', 'third tier '];
}
