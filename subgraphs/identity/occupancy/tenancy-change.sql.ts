import type { TenancyChange } from './occupancy';

/** The present day in Great Britain. */
export const TODAY = `(register_now() at time zone 'Europe/London')::date`;

/**
 * SQL: effective Changes of Tenancy of a meter point in ascending order, as a JSON array. Changes recorded for one day are one change, the
 * first. None began later than now: the instant of one that was recorded while the clock was ahead is still to be corrected.
 */
export const effectiveChanges = (mpxnIndex: string): string => `(
  select coalesce(json_agg(json_build_object('day', to_char(effective_date, 'YYYY-MM-DD'), 'began', began) order by effective_date), '[]')
  from (
    select effective_date, least(occupancy_begins(effective_date, min(recorded_at)), register_now()) as began from change_of_tenancy
    where mpxn_index = ${mpxnIndex} and effective_date <= ${TODAY} group by effective_date
  ) change)`;

/** SQL: the days of effective Changes of Tenancy of a meter point. */
export const effectiveDays = (mpxnIndex: string): string => `array(
  select distinct to_char(effective_date, 'YYYY-MM-DD') from change_of_tenancy where mpxn_index = ${mpxnIndex} and effective_date <= ${TODAY})`;

/** SQL: the days of all recorded Changes of Tenancy of a meter point, also of future ones, in ascending order. */
export const recordedDays = (mpxnIndex: string): string => `array(
  select distinct to_char(effective_date, 'YYYY-MM-DD') as day from change_of_tenancy where mpxn_index = ${mpxnIndex} order by day)`;

/** A change in JSON: its instant is a string. */
export type TenancyChangeRow = Omit<TenancyChange, 'began'> & { readonly began: string };

/** Converts changes from JSON. */
export function changesOf(rows: readonly TenancyChangeRow[]): TenancyChange[] {
  return rows.map(({ day, began }) => ({ day, began: new Date(began) }));
}
