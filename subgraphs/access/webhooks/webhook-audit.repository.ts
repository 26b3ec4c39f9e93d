import { type AuditedChange, addAuditEntry, fingerprintOf } from '../../server/audit/audit.repository';
import type { Session } from '../../server/database/transaction';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import type { LockedWebhook } from './own-webhook.repository';
import type { WebhookUpdate } from './webhook';
import type { WebhookCipher } from './webhook-secrets.repository';

type Addresses = Pick<WebhookUpdate, 'callbackUrl' | 'alertEmail'>;

const CURRENT_SECRET = 'select sealed from webhook_secret where webhook_id = $1 and replaced_at is null';

/**
 * Records changes of subscriptions in the audit, in the transaction of the change. Confidential values are fingerprints; those of addresses
 * are keyed, because an address can be guessed.
 */
export class WebhookAudit {
  private readonly hash: KeyedHash;

  constructor(
    hashKey: Buffer,
    private readonly cipher: WebhookCipher,
  ) {
    this.hash = keyedHash(hashKey, 'audited webhook address');
  }

  /** Returns the detail of a registration. */
  registration(addresses: Addresses, secret: string): AuditedChange['detail'] {
    return { from: null, to: { ...this.addresses(addresses), secret: fingerprintOf(secret) } };
  }

  /** Records the addresses that an update changes. */
  async update(session: Session, actor: string, webhook: LockedWebhook, update: Addresses): Promise<void> {
    const former = this.addresses(this.decrypted(webhook));
    const updated = this.addresses(update);
    const changed = (['callbackUrl', 'alertEmail'] as const).filter(
      (name) => updated[name] !== undefined && updated[name] !== former[name],
    );
    if (changed.length === 0) return;
    const valuesOf = (values: Addresses) => Object.fromEntries(changed.map((name) => [name, values[name]]));
    const detail = { from: valuesOf(former), to: valuesOf(updated) };
    await addAuditEntry(session, { actor, action: 'update-webhook', subject: webhook.wid, detail });
  }

  /** Runs a rotation, records the former and the new secret, and returns the new one. */
  async rotation(
    session: Session,
    actor: string,
    { id, wid }: LockedWebhook,
    rotate: () => Promise<string>,
  ): Promise<string> {
    const from = await this.secretOf(session, id);
    const secret = await rotate();
    const detail = { from: { secret: from }, to: { secret: fingerprintOf(secret) } };
    await addAuditEntry(session, { actor, action: 'rotate-webhook-secret', subject: wid, detail });
    return secret;
  }

  /** Records a deletion, before its statements delete the former values. */
  async deletion(session: Session, actor: string, webhook: LockedWebhook): Promise<void> {
    const secret = await this.secretOf(session, webhook.id);
    const detail = { from: { ...this.addresses(this.decrypted(webhook)), secret }, to: null };
    await addAuditEntry(session, { actor, action: 'delete-webhook', subject: webhook.wid, detail });
  }

  private decrypted({ id, callbackSealed, alertEmailSealed }: LockedWebhook): Addresses {
    const alertEmail = this.cipher.decryptAlertEmail(id, alertEmailSealed);
    return { callbackUrl: this.cipher.decryptCallback(id, callbackSealed), alertEmail };
  }

  private addresses({ callbackUrl, alertEmail }: Addresses): Addresses {
    return {
      ...(callbackUrl != null && { callbackUrl: fingerprintOf(this.hash(callbackUrl)) }),
      ...(alertEmail != null && { alertEmail: fingerprintOf(this.hash(alertEmail.trim())) }),
    };
  }

  private async secretOf(session: Session, id: string): Promise<string | null> {
    const { rows } = await session.query<{ sealed: Buffer }>(CURRENT_SECRET, [id]);
    return rows[0] === undefined ? null : fingerprintOf(this.cipher.decryptSecret(id, rows[0].sealed));
  }
}
