import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { newIdentifier } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import { normalCallbackUrl } from '../../delivery/requests/callback-url';
import { newSigningSecret } from '../../delivery/requests/signing-secret';
import type { Actor } from '../../server/callers/caller';
import { DamagedRows } from '../../server/damaged-rows';
import type { Database } from '../../server/database/database';
import { type IdempotentRequest, claimIdempotencyKey } from '../../server/idempotency';
import type { KeyedHash } from '../../server/keyed-hash';
import { inTransaction, onlyRow } from '../../server/database/transaction';
import { NOTIFY_DAYS, WEBHOOK_EVENT_TYPES, type Webhook, type WebhookInput, type WebhookUpdate } from './webhook';
import { WEBHOOK_COLUMNS, type WebhookCipher, type WebhookRow, rotateSecret } from './webhook-secrets.repository';
import { lockedOwn, ownOf } from './own-webhook.repository';
import type { WebhookAudit } from './webhook-audit.repository';
import { deleteLocked } from './webhook-deletion.repository';

/** A subscription with its signing secret, which is returned only once. */
interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly signingSecret: string;
}

/** The stored response of a registration; `createdAt` and `active` are read from the database. */
interface StoredRegistration {
  readonly webhook: Omit<Webhook, 'createdAt' | 'active'>;
  readonly signingSecret: string;
}

const FROM = 'from webhook join account using (duid)';
const LIVE = `select ${WEBHOOK_COLUMNS} ${FROM} where deleted_at is null`;
const OWN = { name: 'own_webhooks', text: `${LIVE} and webhook.duid = $1 order by created_at, webhook.id` };
const BY_WID = { name: 'webhook_by_wid', text: `${LIVE} and wid = any($1)` };
const BY_ID = { name: 'webhook_by_id', text: `${LIVE} and webhook.id = any($1::uuid[])` };
const REGISTERED = {
  name: 'registered_webhook',
  text: `select created_at as "createdAt", account.status = 'active' as active ${FROM} where webhook.id = $1`,
};

const REGISTER = {
  name: 'register_webhook',
  text: `with ${claimIdempotencyKey('15 minutes')},
    webhook as (
      insert into webhook (id, wid, duid, callback_hash, callback_sealed, alert_email_sealed, notify_days_before, event_types, registered_under)
      select $6, $7, $8, $9, $10, $11, $12, $13, $3::bytea where $3::bytea is null or exists (select from claim) returning id),
    audited as (
      insert into audit_entry (actor, action, subject, detail) select $15, 'register-webhook', $7, $16 from webhook)
    insert into webhook_secret (webhook_id, sealed) select id, $14 from webhook`,
};

const UPDATE = `
  update webhook set callback_hash = coalesce($2, callback_hash), callback_sealed = coalesce($3, callback_sealed),
    alert_email_sealed = coalesce($4, alert_email_sealed)
  where id = $1`;

/** A statement of its own: a trigger on these columns schedules a scan of the whole expiry window. */
const UPDATE_WINDOW = `
  update webhook set notify_days_before = coalesce($2, notify_days_before), event_types = coalesce($3, event_types) where id = $1`;

/** Reads and writes subscriptions. Changes lock the row and check its Data User. */
export class WebhookRepository {
  private readonly rowByWid: (wid: string) => Promise<WebhookRow | undefined>;
  private readonly rowById: (id: string) => Promise<WebhookRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly hashOfCallback: KeyedHash,
    private readonly cipher: WebhookCipher,
    private readonly audit: WebhookAudit,
    private readonly logger: Logger,
  ) {
    this.rowByWid = database.reads.byKey(BY_WID, (row: WebhookRow) => row.wid, String);
    this.rowById = database.reads.byKey(BY_ID, (row: WebhookRow) => row.id, String);
  }

  /** Returns the subscriptions of a Data User, oldest first, without those that cannot be decrypted, which are logged. */
  async ofDataUser(duid: string): Promise<Webhook[]> {
    const rows = await this.database.reads.rows<WebhookRow>(OWN, [duid]);
    const damaged = new DamagedRows(this.logger);
    const readable = damaged.readable(rows, (row) => this.cipher.decrypt(row));
    damaged.report('webhook subscriptions that cannot be decrypted are not listed');
    return readable.map(({ content }) => content);
  }

  /** Returns a Data User's own subscription. Throws NTF001 if there is none, PRM002 for one of another Data User. */
  async own(wid: string, duid: string): Promise<Webhook> {
    return this.cipher.decrypt(ownOf(await this.rowByWid(wid), duid));
  }

  /** Returns the subscription with an internal id; null if it is not the Data User's own. */
  async ownById(id: string, duid: string): Promise<Webhook | null> {
    const row = await this.rowById(id);
    return row?.duid === duid ? this.cipher.decrypt(row) : null;
  }

  /**
   * Registers a subscription. Returns undefined if the idempotency key was used before. Throws CNF002 if the callback URL is in use, or the
   * Data User has 100 subscriptions or deleted 1,000 within a day.
   */
  async register(
    { duid, accountId }: Actor,
    input: WebhookInput,
    request: IdempotentRequest,
  ): Promise<StoredRegistration | undefined> {
    const webhook = {
      id: randomUUID(),
      wid: newIdentifier('wid'),
      duid,
      callbackUrl: input.callbackUrl,
      alertEmail: input.alertEmail.trim(),
      notifyDaysBefore: input.notifyDaysBefore ?? NOTIFY_DAYS.default,
      eventTypes: input.eventTypes ?? [...WEBHOOK_EVENT_TYPES],
    };
    const registration: StoredRegistration = { webhook, signingSecret: newSigningSecret() };
    const { id, wid, notifyDaysBefore, eventTypes } = webhook;
    const addresses = this.encryptedAddresses(id, webhook);
    const secret = this.cipher.encryptSecret(id, registration.signingSecret);
    const subscription = [id, wid, duid, ...addresses, notifyDaysBefore, eventTypes, secret];
    const audited = [accountId, this.audit.registration(webhook, registration.signingSecret)];
    const values = [...request.claim(registration), ...subscription, ...audited];
    const { rowCount } = await this.database.pool.query({ ...REGISTER, values }).catch(rejectConflict);
    return rowCount === 1 ? registration : undefined;
  }

  /** Returns the subscription of a registration, with the present `active`. */
  async registered({ webhook, signingSecret }: StoredRegistration): Promise<WebhookWithSecret> {
    type Current = Pick<Webhook, 'createdAt' | 'active'>;
    const current = onlyRow(await this.database.pool.query<Current>({ ...REGISTERED, values: [webhook.id] }));
    return { webhook: { ...webhook, ...current }, signingSecret };
  }

  /** Updates the present fields. Returns the new secret, or null if none was requested. */
  update({ duid, accountId }: Actor, wid: string, update: WebhookUpdate): Promise<string | null> {
    return inTransaction(this.database.pool, async (session) => {
      const locked = await lockedOwn(session, wid, duid);
      const { id } = locked;
      const { callbackUrl, alertEmail, notifyDaysBefore, eventTypes } = update;
      if (callbackUrl != null || alertEmail != null)
        await session.query(UPDATE, [id, ...this.encryptedAddresses(id, update)]).catch(rejectConflict);
      if (notifyDaysBefore != null || eventTypes != null)
        await session.query(UPDATE_WINDOW, [id, notifyDaysBefore, eventTypes]);
      await this.audit.update(session, accountId, locked, update);
      if (update.rotateSecret !== true) return null;
      return this.audit.rotation(session, accountId, locked, () => rotateSecret(session, this.cipher, id));
    });
  }

  /** Deletes a subscription and ends its deliveries. */
  delete({ duid, accountId }: Actor, wid: string): Promise<void> {
    return inTransaction(this.database.pool, async (session) => {
      await deleteLocked(session, this.audit, accountId, await lockedOwn(session, wid, duid));
    });
  }

  /** Returns hash and encryption of the callback URL, and the encrypted alert address; null for absent ones. */
  private encryptedAddresses(id: string, { callbackUrl: url, alertEmail }: WebhookUpdate): readonly (Buffer | null)[] {
    const callback =
      url == null ? [null, null] : [this.hashOfCallback(normalCallbackUrl(url)), this.cipher.encryptCallback(id, url)];
    return [...callback, alertEmail == null ? null : this.cipher.encryptAlertEmail(id, alertEmail.trim())];
  }
}

function rejectConflict(error: unknown): never {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  if (code === '23505' && constraint === 'webhook_callback_once')
    throw new RegisterError('CNF002', 'The callback URL is that of another subscription.');
  if (code === '23514' && constraint === 'webhook_limit')
    throw new RegisterError('CNF002', 'The Data User has 100 subscriptions, which is the maximum.');
  if (code === '23514' && constraint === 'webhook_deletion_limit')
    throw new RegisterError(
      'CNF002',
      'The Data User deleted 1,000 subscriptions within a day. Register this one later.',
    );
  throw error;
}
