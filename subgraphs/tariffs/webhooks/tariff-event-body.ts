import type { TariffEventType } from '../domain/effects';

/** An event as one attempt tells it. */
export interface ToldTariffEvent {
  readonly webhookId: string;
  readonly type: TariffEventType;
  readonly occurredAt: Date;
  /** The supplier at whose consents it is told. */
  readonly mpid: string;
  /** Null of a cessation only. */
  readonly mpxn: string | null;
  /** Of `tariff.*` only. */
  readonly tariffId: string | null;
}

/** TariffEvent (3-decisions-c-d.md, D.3), at the instant of an attempt. */
export function tariffEventBody(event: ToldTariffEvent, attemptAt: Date): string {
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
