import { wireType } from './event-types';
import { quantity, utcDayAndTime } from '../format';
import type { LiveEvent } from './operation-results';

/** Returns an event as a row of the list. */
export function rowOf(event: LiveEvent) {
  const discovered = event.accessRecord?.discoveredAccess?.organisationName;
  return {
    id: event.id,
    type: wireType(event.type),
    occurredAt: event.occurredAt,
    dayAndTime: utcDayAndTime(event.occurredAt),
    organisation: event.dataUser?.displayName ?? discovered,
    duid: event.dataUser?.duid,
    isDiscovered: event.dataUser === null && discovered !== undefined,
    state: event.transition?.to, // the record may have changed again since
    detail: detailOf(event),
  };
}

function detailOf({ type, daysRemaining, affectedRecordCount, effectiveDate }: LiveEvent): string {
  if (type === 'CONSENT_EXPIRING' && daysRemaining !== null) return `ends in ${quantity(daysRemaining, 'day')}`;
  if (type !== 'TENANCY_CHANGE') return '';
  const records = quantity(affectedRecordCount ?? 0, 'record');
  return effectiveDate === null ? records : `${records}, from ${effectiveDate}`;
}
