import { RegisterError } from '../../../schema/register-error';
import type { Session } from '../../server/database/transaction';
import type { WebhookEventType } from './webhook';

const LIVE = `select id, wid, duid, callback_sealed as "callbackSealed", alert_email_sealed as "alertEmailSealed",
    notify_days_before as "notifyDaysBefore", event_types as "eventTypes"
  from webhook where deleted_at is null`;
const LOCK = `${LIVE} and wid = $1 for update`;
const LOCK_OF_TERMINATED = `${LIVE} and duid in (select duid from account where terminated_at is not null)
  order by id limit 1 for update skip locked`;

/** A subscription whose row the transaction has locked. */
export interface LockedWebhook {
  readonly id: string;
  readonly wid: string;
  readonly duid: string;
  readonly callbackSealed: Buffer;
  readonly alertEmailSealed: Buffer;
  readonly notifyDaysBefore: number;
  readonly eventTypes: WebhookEventType[];
}

/** Returns and locks an own subscription. Throws NTF001 if there is none, PRM002 if it is that of another Data User. */
export async function lockedOwn(session: Session, wid: string, duid: string): Promise<LockedWebhook> {
  const { rows } = await session.query<LockedWebhook>(LOCK, [wid]);
  return ownOf(rows[0], duid);
}

/** Returns and locks a subscription of a terminated Data User; undefined if there is none that no other transaction has locked. */
export async function lockedOfTerminated(session: Session): Promise<LockedWebhook | undefined> {
  return (await session.query<LockedWebhook>(LOCK_OF_TERMINATED)).rows[0];
}

/** Returns the row of an own subscription. Throws NTF001 without a row, PRM002 for another Data User. */
export function ownOf<Row extends { readonly duid: string }>(row: Row | undefined, duid: string): Row {
  if (row === undefined) throw new RegisterError('NTF001');
  if (row.duid !== duid) throw new RegisterError('PRM002');
  return row;
}
