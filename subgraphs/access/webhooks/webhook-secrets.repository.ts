import { RegisterError } from '../../../schema/register-error';
import { MAX_ROTATIONS, ROTATION_OVERLAP_SECONDS, newSigningSecret } from '../../delivery/requests/signing-secret';
import { columnCipher } from '../../delivery/requests/webhook-ciphers';
import type { Session } from '../../server/database/transaction';
import type { Webhook, WebhookEventType } from './webhook';

/** A row of `webhook`, and whether its Data User is active. */
export interface WebhookRow {
  readonly id: string;
  readonly wid: string;
  readonly duid: string;
  readonly callback_sealed: Buffer;
  readonly alert_email_sealed: Buffer;
  readonly notify_days_before: number;
  readonly event_types: WebhookEventType[];
  readonly created_at: Date;
  readonly active: boolean;
}

/** SQL: the columns of {@link WebhookRow} in `webhook join account using (duid)`. */
export const WEBHOOK_COLUMNS = `webhook.id, wid, webhook.duid, callback_sealed, alert_email_sealed, notify_days_before, event_types,
  created_at, account.status = 'active' as active`;

/** Encrypts and decrypts columns of subscriptions. It authenticates the row and the column. */
export interface WebhookCipher {
  encryptCallback(id: string, url: string): Buffer;
  encryptAlertEmail(id: string, address: string): Buffer;
  encryptSecret(id: string, secret: string): Buffer;
  decryptCallback(id: string, encrypted: Buffer): string;
  decryptAlertEmail(id: string, encrypted: Buffer): string;
  decryptSecret(id: string, encrypted: Buffer): string;
  /** Returns the subscription of a row. */
  decrypt(row: WebhookRow): Webhook;
}

/** Returns the cipher of the encryption key of `access`. */
export function webhookCipher(key: Buffer): WebhookCipher {
  const callback = columnCipher(key, 'callback');
  const alertEmail = columnCipher(key, 'alert e-mail');
  const secret = columnCipher(key, 'secret');
  return {
    encryptCallback: callback.encrypt,
    encryptAlertEmail: alertEmail.encrypt,
    encryptSecret: secret.encrypt,
    decryptCallback: callback.decrypt,
    decryptAlertEmail: alertEmail.decrypt,
    decryptSecret: secret.decrypt,
    decrypt: ({ id, wid, duid, active, ...row }) => ({
      id,
      wid,
      duid,
      callbackUrl: callback.decrypt(id, row.callback_sealed),
      alertEmail: alertEmail.decrypt(id, row.alert_email_sealed),
      notifyDaysBefore: row.notify_days_before,
      eventTypes: row.event_types,
      createdAt: row.created_at,
      active,
    }),
  };
}

/** One statement, so that the new secret starts at the instant at which the former one is replaced. */
const ROTATE = `
  with recent as (
    select count(*) as rotations from webhook_secret
    where webhook_id = $1 and replaced_at > register_now() - interval '${ROTATION_OVERLAP_SECONDS} s'),
  replaced as (
    update webhook_secret set replaced_at = register_now()
    where webhook_id = $1 and replaced_at is null and (select rotations from recent) < ${MAX_ROTATIONS} returning webhook_id)
  insert into webhook_secret (webhook_id, sealed) select webhook_id, $2 from replaced`;

const DELETE_EXPIRED = `
  delete from webhook_secret where webhook_id = $1 and replaced_at <= register_now() - interval '${ROTATION_OVERLAP_SECONDS} s'`;

/**
 * Replaces the signing secret of a subscription, deletes those whose overlap has ended, and returns the new one. Throws CNF002 after three
 * rotations in 15 minutes.
 */
export async function rotateSecret(session: Session, cipher: WebhookCipher, webhookId: string): Promise<string> {
  const secret = newSigningSecret();
  await session.query(DELETE_EXPIRED, [webhookId]);
  const { rowCount } = await session.query(ROTATE, [webhookId, cipher.encryptSecret(webhookId, secret)]);
  if (rowCount === 1) return secret;
  throw new RegisterError('CNF002', 'The secret was rotated three times within 15 minutes.');
}
