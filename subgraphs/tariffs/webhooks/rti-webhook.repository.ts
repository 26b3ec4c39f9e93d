import { randomUUID } from 'node:crypto';
import { RegisterError } from '../../../schema/register-error';
import { MAX_ROTATIONS, ROTATION_OVERLAP_SECONDS, newSigningSecret } from '../../delivery/requests/signing-secret';
import type { ColumnCipher } from '../../delivery/requests/webhook-ciphers';
import { decrypted, storedFingerprint } from '../../server/damaged-values';
import type { Database } from '../../server/database/database';
import { type Session, inTransaction } from '../../server/database/transaction';
import { addAuditEntry, fingerprintOf } from '../../server/audit/audit.repository';
import type { KeyedHash } from '../../server/keyed-hash';
import { type Parties, lockActive } from '../register-entries/active-parties.queries';

/** A registered webhook with its signing secret, which is returned only once. */
export interface RegisteredWebhook {
  readonly webhookId: string;
  readonly signingSecret: string;
  /** False if the URL replaced that of a registered webhook. */
  readonly isNew: boolean;
}

/** Ciphers of the encrypted columns of webhooks. */
export interface RtiWebhookCiphers {
  readonly url: ColumnCipher;
  readonly secret: ColumnCipher;
}

/** A registered webhook that the transaction has locked. */
interface LiveWebhook {
  readonly id: string;
  readonly callbackSealed: Buffer;
}

interface RemovableWebhook extends LiveWebhook {
  readonly mpid: string;
}

/** Who removes a webhook: an RTI User its own at a supplier, a supplier any of its own, an admin any. */
export interface WebhookRemover {
  /** The RTI User or the account, for the audit. */
  readonly actor: string;
  /** The supplier whose webhooks may be removed; null: any. */
  readonly mpid: string | null;
  /** The RTI User whose webhooks may be removed; null: any. */
  readonly userId: string | null;
}

const NEW = {
  name: 'new_rti_webhook',
  text: `insert into webhook (id, mpid, user_id, callback_sealed) values ($1, $2, $3, $4)
    on conflict (mpid, user_id) where deleted_at is null do nothing`,
};

const LIVE_WEBHOOK = `select id, callback_sealed as "callbackSealed" from webhook
  where mpid = $1 and user_id = $2 and deleted_at is null`;
const LIVE = { name: 'live_rti_webhook', text: `${LIVE_WEBHOOK} for update` };
const REMOVABLE = {
  name: 'removable_rti_webhook',
  text: `select id, mpid, callback_sealed as "callbackSealed" from webhook
    where id = $1 and deleted_at is null and ($2::text is null or mpid = $2) and ($3::text is null or user_id = $3) for update`,
};

const REPLACE = {
  name: 'replace_rti_webhook',
  text: 'update webhook set callback_sealed = $2, replaced_at = register_now() where id = $1',
};

/** Retires the current secret and deletes expired ones. A retired secret still signs for a while, so that receivers can switch (decisions A/B, 6). */
const RETIRE_SECRETS = [
  `update webhook_secret set replaced_at = register_now() where webhook_id = $1 and replaced_at is null`,
  `delete from webhook_secret where webhook_id = $1 and replaced_at is not null
     and (replaced_at <= register_now() - interval '${ROTATION_OVERLAP_SECONDS} s'
       or id not in (select id from webhook_secret where webhook_id = $1 order by created_at desc, id limit ${MAX_ROTATIONS}))`,
];

const INSERT_SECRET = 'insert into webhook_secret (webhook_id, sealed) values ($1, $2)';

const REMOVE = {
  name: 'remove_rti_webhook',
  text: `update webhook set deleted_at = register_now(), callback_sealed = '' where id = $1`,
};

const CURRENT_SECRET = 'select sealed from webhook_secret where webhook_id = $1 and replaced_at is null';

const IS_OWN_CONSENT = 'consent.user_id = webhook.user_id and consent.mpid = webhook.mpid';

/**
 * Waits for the last events: the webhook of a removed RTI User, or at a removed supplier, remains while there is a live consent, a revocation
 * without its events, a revocation or cessation without its deliveries, or a pending delivery.
 */
const PURGE_REMOVED = {
  name: 'purge_webhooks_of_removed',
  text: `with expired as (
      select webhook.id from webhook join rti_user using (user_id) join supplier using (mpid)
      where 'removed' in (rti_user.status, supplier.status) and deleted_at is null
        and not exists (select from tariff_consent consent where ${IS_OWN_CONSENT} and revoked_at is null)
        and not exists (
          select from tariff_effect effect join tariff_consent consent on consent.id = effect.consent_id
          where ${IS_OWN_CONSENT} and done_at is null and cancelled_at is null)
        and not exists (
          select from fanout join event on event.id = fanout.event_id left join tariff_consent consent on consent.id = event.consent_id
          where event.mpid = webhook.mpid and (event.type = 'supplier.cessation' or ${IS_OWN_CONSENT}))
        and not exists (select from delivery where endpoint_id = webhook.id and state = 'pending')
      limit 100 for update of webhook skip locked),
    deleted as (
      update webhook set deleted_at = register_now(), callback_sealed = '' from expired where webhook.id = expired.id)
    delete from webhook_secret using expired where webhook_id = expired.id`,
};

const DELETE_DEPENDENTS = ['delete from webhook_secret where webhook_id = $1', 'select end_deliveries($1)'];

/** Writes the webhooks of RTI Users: one per supplier and RTI User (decisions C/D, D.1). */
export class RtiWebhookRepository {
  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly ciphers: RtiWebhookCiphers,
    /** Fingerprints of URLs in the audit are keyed, because a URL can be guessed. */
    private readonly hashOfUrl: KeyedHash,
  ) {}

  /** Registers a URL with a new secret, and states it in the audit; pending deliveries go to it, too. AUT001 and RTI001 unless both parties are active. */
  register(parties: Parties, url: string): Promise<RegisteredWebhook> {
    return inTransaction(this.database.pool, async (session) => {
      await lockActive(session, parties);
      const { webhookId, former } = await this.upsert(session, parties, url);
      const from = former && (await this.audited(session, former));
      const signingSecret = newSigningSecret();
      for (const statement of RETIRE_SECRETS) await session.query(statement, [webhookId]);
      await session.query(INSERT_SECRET, [webhookId, this.ciphers.secret.encrypt(webhookId, signingSecret)]);
      const to = { mpid: parties.mpid, webhookUrl: this.fingerprint(url), secret: fingerprintOf(signingSecret) };
      const change = { actor: parties.userId, action: 'register-rti-webhook', subject: webhookId } as const;
      await addAuditEntry(session, { ...change, detail: { from, to } });
      return { webhookId, signingSecret, isNew: former === null };
    });
  }

  /** Removes a webhook, its URL and its secrets, and ends its deliveries. NTF006 if the remover may not remove one with this id. */
  remove(webhookId: string, { actor, mpid, userId }: WebhookRemover): Promise<void> {
    return inTransaction(this.database.pool, async (session) => {
      const { rows } = await session.query<RemovableWebhook>({ ...REMOVABLE, values: [webhookId, mpid, userId] });
      const [removable] = rows;
      if (removable === undefined) throw new RegisterError('NTF006');
      const detail = { from: { mpid: removable.mpid, ...(await this.audited(session, removable)) }, to: null };
      await addAuditEntry(session, { actor, action: 'remove-rti-webhook', subject: removable.id, detail });
      await session.query({ ...REMOVE, values: [removable.id] });
      for (const statement of DELETE_DEPENDENTS) await session.query(statement, [webhookId]);
    });
  }

  /** Removes a batch of webhooks of removed RTI Users, and at removed suppliers, after their last delivery. Returns the number of deleted secrets. */
  async purgeRemoved(): Promise<number> {
    return (await this.database.pool.query(PURGE_REMOVED)).rowCount ?? 0;
  }

  /** Inserts a webhook or replaces the URL of the registered one. Retries if a concurrent transaction removes that one in between. */
  private async upsert(session: Session, { mpid, userId }: Parties, url: string) {
    for (;;) {
      const webhookId = randomUUID();
      const values = [webhookId, mpid, userId, this.ciphers.url.encrypt(webhookId, url)];
      const { rowCount } = await session.query({ ...NEW, values });
      if (rowCount === 1) return { webhookId, former: null };
      const { rows } = await session.query<LiveWebhook>({ ...LIVE, values: [mpid, userId] });
      const [live] = rows;
      if (live === undefined) continue;
      await session.query({ ...REPLACE, values: [live.id, this.ciphers.url.encrypt(live.id, url)] });
      return { webhookId: live.id, former: live };
    }
  }

  /** Returns fingerprints of the URL and the current secret of a webhook, for the audit. */
  private async audited(session: Session, { id, callbackSealed }: LiveWebhook) {
    const { rows } = await session.query<{ sealed: Buffer }>(CURRENT_SECRET, [id]);
    const [current] = rows;
    const url = decrypted(() => this.ciphers.url.decrypt(id, callbackSealed));
    const secret = current && decrypted(() => this.ciphers.secret.decrypt(id, current.sealed));
    return {
      webhookUrl: storedFingerprint(url, (value) => this.fingerprint(value)),
      secret: current ? storedFingerprint(secret, fingerprintOf) : null,
    };
  }

  private fingerprint(url: string): string {
    return fingerprintOf(this.hashOfUrl(url));
  }
}
