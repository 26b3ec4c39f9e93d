import type { RevocationReason } from '../domain/access-record';
import type { DeliveredEventType } from '../domain/webhook';

/** What each event tells its receiver (2-decisions-a-b.md, section 6). */
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
    /** Access keys of the receiver's own records only, without those whose Identity Record was anonymised since. */
    readonly affectedAks: readonly string[];
    readonly sourceReference: string;
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

/** An event with what it tells. */
export type ToldEvent = {
  [Type in DeliveredEventType]: { readonly type: Type; readonly payload: EventPayloads[Type] };
}[DeliveredEventType] & { readonly id: string; readonly occurredAt: Date };

/**
 * The body of a delivery: of the same facts the same bytes, at every attempt. When an Identity Record is anonymised between two attempts,
 * there are fewer facts: no MPxN, and not the access keys of its records. Privacy wins over sameness.
 */
export function deliveryBody(event: ToldEvent, wid: string, sequence: number): string {
  return JSON.stringify({
    'event-id': event.id,
    'event-type': event.type,
    'occurred-at': event.occurredAt.toISOString(),
    wid,
    sequence,
    payload: payloadOf(event),
  });
}

function payloadOf(event: ToldEvent): Record<string, unknown> {
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
        'source-reference': sourceReference,
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
