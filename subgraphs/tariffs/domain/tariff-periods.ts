import type { PublicationRule } from './publication-rules';
import { invalid } from './rate-places';

const PERIODS = [
  ['validFrom', 'validTo', 'validity'],
  ['sellableFrom', 'sellableTo', 'sale'],
] as const;

/** A tariff is valid, and sellable, for some time: each end lies after its begin. */
export const tariffPeriods: PublicationRule = (tariff) =>
  PERIODS.flatMap(([from, to, period]) => {
    const [begin, end] = [tariff[from], tariff[to]];
    return begin == null || end == null || end.getTime() > begin.getTime()
      ? []
      : [invalid([to], `must be after the beginning of its ${period}`)];
  });
