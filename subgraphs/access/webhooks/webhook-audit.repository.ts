import { type AuditedChange, addAuditEntry, fingerprintOf } from '../../server/audit/audit.repository';
import { decrypted, storedFingerprint } from '../../server/damaged-values';
import type { Session } from '../../server/database/transaction';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import type { LockedWebhook } from './own-webhook.repository';
import { WEBHOOK_EVENT_TYPES, type WebhookUpdate } from './webhook';
import type { WebhookCipher } from './webhook-secrets.repository';

/** The fields of a subscription that its Data User can change. */
type Settings = Omit<WebhookUpdate, 'rotateSecret'>;

const CURRENT_SECRET = 'select sealed from webhook_secret where webhook_id = $1 and replaced_at is null';

/** Values of settings by their names; event types in the order of {@link WEBHOOK_EVENT_TYPES}. */
type AuditedValues = Readonly<Record<string, unknown>>;

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
  registration(settings: Settings, secret: string): AuditedChange['detail'] {
    return { from: null, to: { ...this.values(settings), secret: fingerprintOf(secret) } };
  }

  /** Records the settings that an update changes. */
  async update(session: Session, actor: string, webhook: LockedWebhook, update: Settings): Promise<void> {
    const former = this.storedValues(webhook);
    const updated = this.values(update);
    const changed = Object.keys(updated).filter((name) => String(updated[name]) !== String(former[name]));
    if (changed.length === 0) return;
    const valuesOf = (values: AuditedValues) => Object.fromEntries(changed.map((name) => [name, values[name]]));
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
    const detail = { from: { ...this.storedValues(webhook), secret }, to: null };
    await addAuditEntry(session, { actor, action: 'delete-webhook', subject: webhook.wid, detail });
  }

  private storedValues({ id, callbackSealed, alertEmailSealed, ...others }: LockedWebhook): AuditedValues {
    const callbackUrl = decrypted(() => this.cipher.decryptCallback(id, callbackSealed));
    const alertEmail = decrypted(() => this.cipher.decryptAlertEmail(id, alertEmailSealed));
    return {
      callbackUrl: storedFingerprint(callbackUrl, (url) => this.fingerprint(url)),
      alertEmail: storedFingerprint(alertEmail, (address) => this.fingerprint(address.trim())),
      ...this.values(others),
    };
  }

  private values({ callbackUrl, alertEmail, notifyDaysBefore, eventTypes }: Settings): AuditedValues {
    return {
      ...(callbackUrl != null && { callbackUrl: this.fingerprint(callbackUrl) }),
      ...(alertEmail != null && { alertEmail: this.fingerprint(alertEmail.trim()) }),
      ...(notifyDaysBefore != null && { notifyDaysBefore }),
      ...(eventTypes != null && { eventTypes: WEBHOOK_EVENT_TYPES.filter((type) => eventTypes.includes(type)) }),
    };
  }

  private async secretOf(session: Session, id: string): Promise<string | null> {
    const { rows } = await session.query<{ sealed: Buffer }>(CURRENT_SECRET, [id]);
    const [current] = rows;
    if (current === undefined) return null;
    return storedFingerprint(
      decrypted(() => this.cipher.decryptSecret(id, current.sealed)),
      fingerprintOf,
    );
  }

  private fingerprint(address: string): string {
    return fingerprintOf(this.hash(address));
  }
}
