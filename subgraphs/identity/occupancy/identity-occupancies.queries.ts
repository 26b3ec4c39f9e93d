import type { KeyedOccupancy, KeyedSubgraph } from '../../server/occupancy-keys';
import type { Session } from '../../server/database/transaction';
import { TODAY } from './tenancy-change.sql';

/** An occupancy starts on the day of a Change of Tenancy. Its keys are stored in the same schema as the data keys of Identity Records. */
export const IDENTITY_OCCUPANCIES: KeyedSubgraph = { tables: 'identity', keys: 'identity_keys', began: 'date' };

/** SQL: day of the latest change at a meter point that meets a condition, as text; `-infinity` without one. */
export const latestChange = (mpxnIndex: string, condition: string): string => `
  coalesce((select max(former.effective_date) from change_of_tenancy former
    where former.mpxn_index = ${mpxnIndex} and former.effective_date ${condition}), '-infinity')::text`;

const CURRENT = `
  select ${latestChange('wanted.premises', `<= coalesce((wanted.at at time zone 'Europe/London')::date, ${TODAY})`)} as began
  from unnest($1::bytea[], $2::timestamptz[]) with ordinality wanted (premises, at, place) order by place`;

/** A meter point at an instant in PostgreSQL's text format; null for the present instant. */
export interface MeterPointAt {
  readonly premises: Buffer;
  readonly at: string | null;
}

/** Returns the occupancies of meter points at instants, in the given order. */
export async function occupanciesAt(session: Session, wanted: readonly MeterPointAt[]): Promise<KeyedOccupancy[]> {
  const values = [wanted.map(({ premises }) => premises), wanted.map(({ at }) => at)];
  const { rows } = await session.query<{ began: string }>(CURRENT, values);
  return wanted.map(({ premises }, index) => ({ premises, began: rows[index]?.began ?? '-infinity' }));
}

const ENDED_BY = `select ${latestChange('$1', '< $2::date')} as began`;

/** Returns the occupancy that a change on a day ends; its MPxN is erased 13 months after that day. */
export async function occupancyEndedBy(session: Session, premises: Buffer, day: string): Promise<KeyedOccupancy> {
  const { rows } = await session.query<{ began: string }>(ENDED_BY, [premises, day]);
  return { premises, began: rows[0]?.began ?? '-infinity' };
}
