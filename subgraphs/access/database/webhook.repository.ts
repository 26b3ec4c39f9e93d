import { randomUUID } from 'node:crypto';
import { newIdentifier } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import { sameCallback } from '../../delivery/callback-url';
import { MOST_ROTATIONS, ROTATION_OVERLAP_SECONDS, newSigningSecret } from '../../delivery/signing-secret';
import type { Database } from '../../server/database';
import { type IdempotentRequest, claimIdempotencyKey } from '../../server/idempotency';
import type { KeyedHash } from '../../server/keyed-hash';
import { type Session, inTransaction } from '../../server/transaction';
import {
  NOTIFY_DAYS,
  WEBHOOK_EVENT_TYPES,
  type Webhook,
  type WebhookInput,
  type WebhookUpdate,
} from '../domain/webhook';
import type { Actor } from './access-record.repository';
import { WEBHOOK_COLUMNS, type WebhookRow, type WebhookSeals } from './webhook-seal';

/** A subscription with a secret, which is shown once. */
export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly signingSecret: string;
}

/** What is kept of a registration for its repetition; when it was made and whether it is active are read anew. */
interface KeptRegistration {
  readonly webhook: Omit<Webhook, 'createdAt' | 'active'>;
  readonly signingSecret: string;
}

const FROM = 'from webhook join account using (duid)';
const OF_DATA_USER = {
  name: 'webhooks_of_data_user',
  text: `select ${WEBHOOK_COLUMNS} ${FROM} where webhook.duid = $1 and deleted_at is null order by created_at, webhook.id`,
};
const BY_WID = {
  name: 'webhook_by_wid',
  text: `select ${WEBHOOK_COLUMNS} ${FROM} where wid = any($1) and deleted_at is null`,
};
const BY_ID = {
  name: 'webhook_by_id',
  text: `select ${WEBHOOK_COLUMNS} ${FROM} where webhook.id = any($1::uuid[]) and deleted_at is null`,
};
const REGISTERED = {
  name: 'registered_webhook',
  text: `select created_at as "createdAt", account.status = 'active' as active ${FROM} where webhook.id = $1`,
};

/** Name of the mutation that registers a subscription, as idempotency keys are kept for it. */
export const REGISTER_WEBHOOK = 'registerWebhook';

const REGISTER = {
  name: 'register_webhook',
  text: `with ${claimIdempotencyKey('15 minutes')},
    webhook as (
      insert into webhook (id, wid, duid, callback_hash, callback_sealed, alert_email_sealed, notify_days_before, event_types, registered_under)
      select $6, $7, $8, $9, $10, $11, $12, $13, $3::bytea where $3::bytea is null or exists (select from claim) returning id)
    insert into webhook_secret (webhook_id, sealed) select id, $14 from webhook`,
};

const LOCK = 'select id, duid from webhook where wid = $1 and deleted_at is null for update';

const UPDATE = `
  update webhook set callback_hash = coalesce($2, callback_hash), callback_sealed = coalesce($3, callback_sealed),
    alert_email_sealed = coalesce($4, alert_email_sealed)
  where id = $1`;

/** Only what changes: each asks for a look at the whole window. */
const UPDATE_WINDOW = `
  update webhook set notify_days_before = coalesce($2, notify_days_before), event_types = coalesce($3, event_types) where id = $1`;

/** One statement, so that one secret begins at the instant at which the other is replaced. */
const ROTATE = `
  with recent as (
    select count(*) as rotations from webhook_secret
    where webhook_id = $1 and replaced_at > register_now() - interval '${ROTATION_OVERLAP_SECONDS} s'),
  replaced as (
    update webhook_secret set replaced_at = register_now()
    where webhook_id = $1 and replaced_at is null and (select rotations from recent) < ${MOST_ROTATIONS} returning webhook_id)
  insert into webhook_secret (webhook_id, sealed) select webhook_id, $2 from replaced`;

/** Secrets that sign nothing any more go with the rotation that comes after their overlap. */
const FORGET_SECRETS = `
  delete from webhook_secret where webhook_id = $1 and replaced_at <= register_now() - interval '${ROTATION_OVERLAP_SECONDS} s'`;

/**
 * What only its Data User and its receiver may know is forgotten with a subscription, also the answer that was kept of its registration;
 * that of another one under the same idempotency key, used again after its time, stays.
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

/** Subscriptions in the database. Whose they are is arbitrated by the statements that change them. */
export class WebhookRepository {
  private readonly rowByWid: (wid: string) => Promise<WebhookRow | undefined>;
  private readonly rowById: (id: string) => Promise<WebhookRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly hashOfCallback: KeyedHash,
    private readonly seals: WebhookSeals,
  ) {
    this.rowByWid = database.reads.byKey(BY_WID, (row: WebhookRow) => row.wid, String);
    this.rowById = database.reads.byKey(BY_ID, (row: WebhookRow) => row.id, String);
  }

  /** The subscriptions of a Data User, oldest first. */
  async ofDataUser(duid: string): Promise<Webhook[]> {
    const rows = await this.database.reads.rows<WebhookRow>(OF_DATA_USER, [duid]);
    return rows.map((row) => this.seals.open(row));
  }

  /** A Data User's own subscription: NTF001 when there is none, PRM002 when it is another's. */
  async own(wid: string, duid: string): Promise<Webhook> {
    const row = await this.rowByWid(wid);
    return this.seals.open(ownOf(row, duid));
  }

  /** The subscription with this internal id, if it is this Data User's. */
  async ownById(id: string, duid: string): Promise<Webhook | null> {
    const row = await this.rowById(id);
    return row?.duid === duid ? this.seals.open(row) : null;
  }

  /** Registers a subscription; undefined when the idempotency key was used before, CNF002 when the callback URL is in use. */
  async register(
    actor: Actor,
    input: WebhookInput,
    idempotent: IdempotentRequest,
  ): Promise<WebhookWithSecret | undefined> {
    const webhook = {
      id: randomUUID(),
      wid: newIdentifier('wid'),
      duid: actor.duid,
      callbackUrl: input.callbackUrl,
      alertEmail: input.alertEmail.trim(),
      notifyDaysBefore: input.notifyDaysBefore ?? NOTIFY_DAYS.unlessGiven,
      eventTypes: input.eventTypes ?? [...WEBHOOK_EVENT_TYPES],
    };
    const kept: KeptRegistration = { webhook, signingSecret: newSigningSecret() };
    const { id, callbackUrl } = webhook;
    const values = [
      ...idempotent.claim(kept),
      id,
      webhook.wid,
      webhook.duid,
      this.hashOfCallback(sameCallback(callbackUrl)),
      this.seals.callback(id, callbackUrl),
      this.seals.alertEmail(id, webhook.alertEmail),
      webhook.notifyDaysBefore,
      webhook.eventTypes,
      this.seals.secret(id, kept.signingSecret),
    ];
    const { rowCount } = await this.database.pool.query({ ...REGISTER, values }).catch(refuseDuplicate);
    return rowCount === 1 ? this.registered(kept) : undefined;
  }

  /** The answer of an earlier registration with this idempotency key, if there was one. */
  async recallKept(idempotent: IdempotentRequest): Promise<WebhookWithSecret | undefined> {
    const kept = await idempotent.recallKept<KeptRegistration>(this.database.reads);
    return kept && this.registered(kept);
  }

  /** The answer of the registration that claimed the idempotency key first. */
  async recall(idempotent: IdempotentRequest): Promise<WebhookWithSecret> {
    return this.registered(await idempotent.recall<KeptRegistration>(this.database.pool));
  }

  /** Changes what is supplied; answers the new secret, null unless it was rotated. */
  update(duid: string, wid: string, update: WebhookUpdate): Promise<string | null> {
    return inTransaction(this.database.pool, async (session) => {
      const { id } = await lockedOwn(session, wid, duid);
      await this.updateSealed(session, id, update);
      const { notifyDaysBefore, eventTypes } = update;
      if (notifyDaysBefore != null || eventTypes != null)
        await session.query(UPDATE_WINDOW, [id, notifyDaysBefore, eventTypes]);
      return update.rotateSecret === true ? this.rotate(session, id) : null;
    });
  }

  /** Deletes a subscription; nothing more is sent. */
  delete(duid: string, wid: string): Promise<void> {
    return inTransaction(this.database.pool, async (session) => {
      const { id } = await lockedOwn(session, wid, duid);
      for (const statement of DELETE) await session.query(statement, [id]);
    });
  }

  private async updateSealed(session: Session, id: string, { callbackUrl, alertEmail }: WebhookUpdate): Promise<void> {
    if (callbackUrl == null && alertEmail == null) return;
    const callback =
      callbackUrl == null
        ? [null, null]
        : [this.hashOfCallback(sameCallback(callbackUrl)), this.seals.callback(id, callbackUrl)];
    const email = alertEmail == null ? null : this.seals.alertEmail(id, alertEmail.trim());
    await session.query(UPDATE, [id, ...callback, email]).catch(refuseDuplicate);
  }

  private async rotate(session: Session, id: string): Promise<string> {
    const secret = newSigningSecret();
    await session.query(FORGET_SECRETS, [id]);
    const { rowCount } = await session.query(ROTATE, [id, this.seals.secret(id, secret)]);
    if (rowCount === 1) return secret;
    throw new RegisterError('CNF002', 'The secret was rotated three times within 15 minutes.');
  }

  private async registered({ webhook, signingSecret }: KeptRegistration): Promise<WebhookWithSecret> {
    const { rows } = await this.database.pool.query<Pick<Webhook, 'createdAt' | 'active'>>({
      ...REGISTERED,
      values: [webhook.id],
    });
    return { webhook: { ...webhook, ...(rows[0] as Pick<Webhook, 'createdAt' | 'active'>) }, signingSecret };
  }
}

async function lockedOwn(session: Session, wid: string, duid: string): Promise<{ readonly id: string }> {
  const { rows } = await session.query<{ id: string; duid: string }>(LOCK, [wid]);
  return ownOf(rows[0], duid);
}

function ownOf<Row extends { readonly duid: string }>(row: Row | undefined, duid: string): Row {
  if (row === undefined) throw new RegisterError('NTF001');
  if (row.duid !== duid) throw new RegisterError('PRM002');
  return row;
}

function refuseDuplicate(error: unknown): never {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const isDuplicate = code === '23505' && constraint === 'webhook_callback_once';
  throw isDuplicate ? new RegisterError('CNF002', 'The callback URL is that of another subscription.') : error;
}
