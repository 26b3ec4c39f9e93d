import type { Pool } from 'pg';
import { type Session, inTransaction } from '../../server/database/transaction';
import type { Purge } from '../../server/retention';
import { type LockedWebhook, lockedOfTerminated } from './own-webhook.repository';
import { REGISTER_WEBHOOK } from './webhook';
import type { WebhookAudit } from './webhook-audit.repository';

/**
 * Deletes a subscription with its confidential data: addresses, secrets, and the stored response of its registration, unless a later
 * registration has used the same idempotency key again.
 */
const DELETE = [
  `update webhook set deleted_at = register_now(), callback_sealed = '', alert_email_sealed = '' where id = $1`,
  'delete from webhook_secret where webhook_id = $1',
  `delete from idempotency_key kept using webhook join account using (duid)
   where webhook.id = $1 and kept.account_id = account.account_id and kept.operation = '${REGISTER_WEBHOOK}'
     and kept.key_hash = webhook.registered_under
     and not exists (select from webhook later where later.duid = webhook.duid and later.registered_under = webhook.registered_under
       and later.created_at > webhook.created_at)`,
  'select end_deliveries($1)',
];

/** Deletes a locked subscription, and ends its deliveries. */
export async function deleteLocked(
  session: Session,
  audit: WebhookAudit,
  actor: string,
  webhook: LockedWebhook,
): Promise<void> {
  await audit.deletion(session, actor, webhook);
  for (const statement of DELETE) await session.query(statement, [webhook.id]);
}

/**
 * Returns a function that deletes the next subscription of a terminated Data User, which receives nothing any more: its addresses and secrets
 * have no purpose.
 */
export function webhooksOfTerminated(pool: Pool, audit: WebhookAudit): Purge {
  return () =>
    inTransaction(pool, async (session) => {
      const webhook = await lockedOfTerminated(session);
      if (webhook !== undefined) await deleteLocked(session, audit, 'register', webhook);
      return webhook === undefined ? 0 : 1;
    });
}
