import type { TariffInput } from '../catalogue/tariff';
import { type DayGroup, dayRates } from './day-rates';
import { occurringDays } from './rate-calendar';

/** Days groups that apply to the days of a tariff's validity, and the days to which none applies. */
export interface DaySuccessions {
  /** Days of the year without an entry. */
  readonly daysWithoutEntry: ReadonlySet<number>;
  /** Days of the week without a days group, by index of the entry. */
  readonly weekdaysWithoutGroup: ReadonlyMap<number, ReadonlySet<number>>;
  /** Days groups, each with the groups of the days before it; undefined if no group applies to a day before. */
  readonly groupsBefore: ReadonlyMap<DayGroup, ReadonlySet<DayGroup | undefined>>;
}

/** Returns the days groups that apply to the days of a tariff; empty if its validity ends before it starts. */
export function daySuccessions({ validFrom, validTo = null, rates }: TariffInput): DaySuccessions {
  const ratesOf = dayRates(rates);
  const daysWithoutEntry = new Set<number>();
  const weekdaysWithoutGroup = new Map<number, Set<number>>();
  const groupsBefore = new Map<DayGroup, Set<DayGroup | undefined>>();
  const isEmpty = validTo !== null && validTo.getTime() <= validFrom.getTime();
  for (const { before, day } of isEmpty ? [] : occurringDays({ validFrom, validTo })) {
    const { schedule, group } = ratesOf(day);
    if (schedule === undefined) daysWithoutEntry.add(day.dayOfYear);
    else if (group === undefined) add(weekdaysWithoutGroup, schedule, day.weekday);
    else add(groupsBefore, group, ratesOf(before).group);
  }
  return { daysWithoutEntry, weekdaysWithoutGroup, groupsBefore };
}

function add<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}
