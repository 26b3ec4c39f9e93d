import { webhookSeal } from '../../delivery/webhook-secrets';
import type { Webhook, WebhookEventType } from '../domain/webhook';

/** A row of `webhook`, with whether its Data User is in good standing. */
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

/** Columns of {@link WebhookRow}, of `webhook join account using (duid)`. */
export const WEBHOOK_COLUMNS = `webhook.id, wid, webhook.duid, callback_sealed, alert_email_sealed, notify_days_before, event_types,
  created_at, account.status = 'active' as active`;

/** What of a subscription is kept sealed, each for its row and its column. */
export interface WebhookSeals {
  callback(id: string, url: string): Buffer;
  alertEmail(id: string, address: string): Buffer;
  secret(id: string, secret: string): Buffer;
  openCallback(id: string, sealed: Buffer): string;
  openAlertEmail(id: string, sealed: Buffer): string;
  openSecret(id: string, sealed: Buffer): string;
  /** The subscription of a row. */
  open(row: WebhookRow): Webhook;
}

/** Seals under the encryption key of `access`. */
export function webhookSeals(key: Buffer): WebhookSeals {
  const callback = webhookSeal(key, 'callback');
  const alertEmail = webhookSeal(key, 'alert e-mail');
  const secret = webhookSeal(key, 'secret');
  return {
    callback: callback.seal,
    alertEmail: alertEmail.seal,
    secret: secret.seal,
    openCallback: callback.open,
    openAlertEmail: alertEmail.open,
    openSecret: secret.open,
    open: ({ id, wid, duid, active, ...row }) => ({
      id,
      wid,
      duid,
      callbackUrl: callback.open(id, row.callback_sealed),
      alertEmail: alertEmail.open(id, row.alert_email_sealed),
      notifyDaysBefore: row.notify_days_before,
      eventTypes: row.event_types,
      createdAt: row.created_at,
      active,
    }),
  };
}
