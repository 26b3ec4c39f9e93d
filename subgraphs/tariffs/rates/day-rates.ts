import type { TariffScheduleEntry } from '../catalogue/tariff';
import { type GroupMinutes, minutesOfGroup } from './group-minutes';
import type { DayKind } from './rate-calendar';
import { NO_MATCH, entriesByDay, groupsByWeekday } from './rates-resolution';

/** The days group that decides a kind of day. */
export interface DayGroup {
  /** Index of the entry, and of the group in it. */
  readonly schedule: number;
  readonly daysAndHours: number;
  /** Undefined if the group contains an invalid time. */
  readonly minutes: GroupMinutes | undefined;
}

/** The part of a rates tree that decides a day; a part that does not match is absent. */
interface DayRates {
  readonly schedule?: number;
  readonly group?: DayGroup;
}

/** Returns a lookup of what decides a kind of day. Days with the same group share one object. */
export function dayRates(rates: readonly TariffScheduleEntry[]): (day: DayKind) => DayRates {
  const entries = entriesByDay(rates);
  const groups = rates.map(groupsByWeekday);
  const cache = new Map<string, DayGroup>();
  return ({ dayOfYear, weekday }) => {
    const schedule = entries[dayOfYear] as number;
    if (schedule === NO_MATCH) return {};
    const daysAndHours = groups[schedule]?.[weekday] as number;
    if (daysAndHours === NO_MATCH) return { schedule };
    const key = `${schedule}.${daysAndHours}`;
    const group = cache.get(key) ?? groupAt(rates, schedule, daysAndHours);
    cache.set(key, group);
    return { schedule, group };
  };
}

function groupAt(rates: readonly TariffScheduleEntry[], schedule: number, daysAndHours: number): DayGroup {
  const hours = rates[schedule]?.daysAndHours[daysAndHours]?.hours ?? [];
  return { schedule, daysAndHours, minutes: minutesOfGroup({ hours }) };
}
