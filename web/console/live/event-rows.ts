import { wireType } from './event-types';
import { dayAndTime } from './instants';
import type { LiveEvent } from './operation-results';

/** An event as a row of the list. */
interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly dayAndTime: string;
  /** Name of the Data User, or of the discovered organisation. */
  readonly organisation: string | undefined;
  readonly duid: string | undefined;
  readonly isDiscovered: boolean;
  /** State of the record after the event, if the event changed it; the record may have changed again since. */
  readonly state: string | undefined;
  /** Details beyond the type. */
  readonly detail: string;
}

/** Returns the row of an event. */
export function rowOf(event: LiveEvent): EventRow {
  const discovered = event.accessRecord?.discoveredAccess?.organisationName;
  return {
    id: event.id,
    type: wireType(event.type),
    occurredAt: event.occurredAt,
    dayAndTime: dayAndTime(event.occurredAt),
    organisation: event.dataUser?.displayName ?? discovered,
    duid: event.dataUser?.duid,
    isDiscovered: event.dataUser === null && discovered !== undefined,
    state: event.transition?.to,
    detail: detailOf(event),
  };
}

function detailOf({ type, daysRemaining, affectedRecordCount, effectiveDate }: LiveEvent): string {
  if (type === 'CONSENT_EXPIRING' && daysRemaining !== null) return `ends in ${counted(daysRemaining, 'day')}`;
  if (type !== 'TENANCY_CHANGE') return '';
  const records = counted(affectedRecordCount ?? 0, 'record');
  return effectiveDate === null ? records : `${records}, from ${effectiveDate}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
