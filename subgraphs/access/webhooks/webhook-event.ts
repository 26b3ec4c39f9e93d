import { type AccessState, type LegalBasis, type RevocationReason, isConsentBasis } from '../records/access-record';
import type { DeliveredEventType } from './webhook';

/** Payloads by event type (decisions A/B, 6). `mpxn` is null once the Identity Record is anonymised. */
export interface EventPayloads {
  readonly 'consent.expiring': {
    readonly ak: string;
    readonly mpxn: string | null;
    readonly duid: string;
    readonly expiry: Date;
    readonly daysRemaining: number;
  };
  readonly 'tenancy.change': {
    readonly mpxn: string | null;
    readonly effectiveDate: string;
    /** Access keys of the receiver's own records, except those whose Identity Record is anonymised. */
    readonly affectedAks: readonly string[];
    /** Null once the MPxN is null, or `identity` has erased the change. */
    readonly sourceReference: string | null;
  };
  readonly 'consent.withdrawal': {
    readonly ak: string;
    readonly mpxn: string | null;
    readonly duid: string;
    readonly revokedAt: Date;
    readonly reason: RevocationReason | null;
  };
  readonly 'webhook.test': Record<string, never>;
}

/** An event with its payload. */
export type WebhookEvent = {
  [Type in DeliveredEventType]: { readonly type: Type; readonly payload: EventPayloads[Type] };
}[DeliveredEventType] & { readonly id: string; readonly occurredAt: Date };

/**
 * Returns the body of a delivery. Every attempt has the same bytes, unless an Identity Record was anonymised in between: its MPxN, the
 * access keys of its records and the source reference of its change are then omitted, because privacy outweighs identical bodies.
 */
export function deliveryBody(event: WebhookEvent, wid: string, sequence: number): string {
  return JSON.stringify({
    'event-id': event.id,
    'event-type': event.type,
    'occurred-at': event.occurredAt.toISOString(),
    wid,
    sequence,
    payload: payloadOf(event),
  });
}

function payloadOf(event: WebhookEvent): Record<string, unknown> {
  switch (event.type) {
    case 'consent.expiring': {
      const { ak, mpxn, duid, expiry, daysRemaining } = event.payload;
      return { ak, mpxn, duid, expiry: expiry.toISOString(), 'days-remaining': daysRemaining };
    }
    case 'tenancy.change': {
      const { mpxn, effectiveDate, affectedAks, sourceReference } = event.payload;
      return {
        mpxn,
        'effective-date': effectiveDate,
        'affected-aks': affectedAks,
        ...(sourceReference === null ? {} : { 'source-reference': sourceReference }),
      };
    }
    case 'consent.withdrawal': {
      const { ak, mpxn, duid, revokedAt, reason } = event.payload;
      return { ak, mpxn, duid, 'revoked-at': revokedAt.toISOString(), ...(reason === null ? {} : { reason }) };
    }
    case 'webhook.test':
      return {};
  }
}

/** The fields of a record that decide whether a notice of its expiry is due. */
export interface ExpiringRecord {
  readonly state: AccessState;
  readonly legalBasis: LegalBasis | null;
  readonly expiry: Date | null;
}

/**
 * Whether `consent.expiring` is still true of its record, checked at every attempt (decisions A/B, 6): the record is ACTIVE, based on
 * consent, and has the expiry that the notice states, which has not passed.
 */
export function isNoticeDue({ state, legalBasis, expiry }: ExpiringRecord, stated: Date, now: Date): boolean {
  if (state !== 'ACTIVE' || legalBasis === null || !isConsentBasis(legalBasis) || expiry === null) return false;
  return expiry.getTime() === stated.getTime() && expiry.getTime() > now.getTime();
}
