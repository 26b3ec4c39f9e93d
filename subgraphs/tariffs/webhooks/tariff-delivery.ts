import type { TariffEventType } from '../events/tariff-event';
import type { RegisterEntryStatus } from '../register-entries/register-entry-status';

/** The state that decides on a delivery, at the time of an attempt. */
export interface DeliveryState {
  readonly type: TariffEventType;
  /** Whether the webhook was removed. */
  readonly isRemoved: boolean;
  /** Status of the RTI User. */
  readonly status: RegisterEntryStatus;
  /** Status of the supplier whose RTI Users receive the event. */
  readonly supplierStatus: RegisterEntryStatus;
  /** Whether the RTI User has a live consent that has covered the MPxN at the supplier since the event. */
  readonly isConsented: boolean;
  /** Whether the RTI User was disabled after the event: it has missed later events since. */
  readonly wasDisabled: boolean;
  /** Whether the MPxN of the event was erased (decisions A/B, 12). */
  readonly isErased: boolean;
}

/**
 * Decides whether to send, defer or drop a delivery (decisions C/D, D.3). `consent.revoked` is sent whatever the statuses;
 * `supplier.cessation` ignores the status of the supplier; every other event needs a consent that has lived since the event, and an RTI User
 * that was not disabled since. A removed webhook receives nothing, and events of an erased MPxN are dropped.
 */
export function deliveryDecision(state: DeliveryState): 'send' | 'wait' | 'drop' {
  const { type, isRemoved, status, supplierStatus, isConsented, wasDisabled, isErased } = state;
  if (isRemoved || isErased) return 'drop';
  if (type === 'consent.revoked') return 'send';
  if (type !== 'supplier.cessation' && (!isConsented || wasDisabled)) return 'drop';
  const statuses = type === 'supplier.cessation' ? [status] : [status, supplierStatus];
  if (statuses.includes('removed')) return 'drop';
  return statuses.every((each) => each === 'active') ? 'send' : 'wait';
}

/** The content of an event for one webhook. */
export interface TariffEventContent {
  readonly webhookId: string;
  readonly type: TariffEventType;
  readonly occurredAt: Date;
  /** The supplier whose RTI Users receive the event. */
  readonly mpid: string;
  /** Null for `supplier.cessation` only. */
  readonly mpxn: string | null;
  /** Null except for `tariff.*`. */
  readonly tariffId: string | null;
}

/** Returns the body of an attempt: TariffEvent (decisions C/D, D.3). */
export function tariffEventBody(event: TariffEventContent, attemptAt: Date): string {
  const { webhookId, type, occurredAt, mpid, mpxn, tariffId } = event;
  return JSON.stringify({
    webhook_id: webhookId,
    webhook_timestamp: attemptAt.toISOString(),
    type,
    event_timestamp: occurredAt.toISOString(),
    ...(mpxn === null ? {} : { mpxn }),
    ...(tariffId === null ? {} : { tariff_id: tariffId }),
    supplier_mpid: mpid,
  });
}
