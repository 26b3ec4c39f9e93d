import type { TenancyChange } from '../domain/occupancy';

/** The present day in Great Britain. */
export const TODAY = `(register_now() at time zone 'Europe/London')::date`;

/**
 * The Changes of Tenancy of a meter point that have taken effect, the earliest first, as a JSON list; several recorded of one day are
 * one change, that which was recorded first.
 */
export const effectiveChanges = (mpxnIndex: string): string => `(
  select coalesce(json_agg(json_build_object('day', to_char(effective_date, 'YYYY-MM-DD'), 'began', began) order by effective_date), '[]')
  from (
    select effective_date, occupancy_begins(effective_date, min(recorded_at)) as began from change_of_tenancy
    where mpxn_index = ${mpxnIndex} and effective_date <= ${TODAY} group by effective_date
  ) change)`;

/** A change as JSON has it: the instant is a text. */
export type TenancyChangeRow = Omit<TenancyChange, 'began'> & { readonly began: string };

/** Changes as the domain knows them. */
export function changesOf(rows: readonly TenancyChangeRow[]): TenancyChange[] {
  return rows.map(({ day, began }) => ({ day, began: new Date(began) }));
}
