import { randomUUID } from 'node:crypto';
import { RegisterError } from '../../../schema/register-error';
import { MOST_ROTATIONS, ROTATION_OVERLAP_SECONDS, newSigningSecret } from '../../delivery/signing-secret';
import type { WebhookSeal } from '../../delivery/webhook-secrets';
import type { Database } from '../../server/database';
import { type Session, inTransaction } from '../../server/transaction';
import { type Parties, lockActive } from './active-parties';

/** A webhook with the secret that signs what is delivered to it: shown once. */
export interface RegisteredWebhook {
  readonly webhookId: string;
  readonly signingSecret: string;
  /** False when it took the place of an address that was there. */
  readonly isNew: boolean;
}

/** What of webhooks is kept sealed. */
export interface RtiWebhookSeals {
  readonly url: WebhookSeal;
  readonly secret: WebhookSeal;
}

const NEW = {
  name: 'new_rti_webhook',
  text: `insert into webhook (id, mpid, user_id, callback_sealed) values ($1, $2, $3, $4)
    on conflict (mpid, user_id) where deleted_at is null do nothing`,
};

const LIVE = {
  name: 'live_rti_webhook',
  text: 'select id from webhook where mpid = $1 and user_id = $2 and deleted_at is null for update',
};

const REPLACE = {
  name: 'replace_rti_webhook',
  text: 'update webhook set callback_sealed = $2, replaced_at = register_now() where id = $1',
};

/** Former secrets sign for as long as receivers need to learn the current one (2-decisions-a-b.md, section 6). */
const RETIRE = [
  `update webhook_secret set replaced_at = register_now() where webhook_id = $1 and replaced_at is null`,
  `delete from webhook_secret where webhook_id = $1 and replaced_at is not null
     and (replaced_at <= register_now() - interval '${ROTATION_OVERLAP_SECONDS} s'
       or id not in (select id from webhook_secret where webhook_id = $1 order by created_at desc, id limit ${MOST_ROTATIONS}))`,
];

const SECRET = 'insert into webhook_secret (webhook_id, sealed) values ($1, $2)';

const REMOVE = {
  name: 'remove_rti_webhook',
  text: `update webhook set deleted_at = register_now(), callback_sealed = ''
    where id = $1 and mpid = $2 and user_id = $3 and deleted_at is null`,
};

/** Nothing is told any more to whom no consent is live and no delivery pending: the last revocations were told, or given up. */
const FORGET_REMOVED = {
  name: 'forget_webhooks_of_removed',
  text: `with ended as (
      select webhook.id from webhook join rti_user using (user_id)
      where rti_user.status = 'removed' and deleted_at is null
        and not exists (select from tariff_consent consent where consent.user_id = webhook.user_id and revoked_at is null)
        and not exists (select from delivery where endpoint_id = webhook.id and state = 'pending')
      limit 100 for update of webhook skip locked),
    gone as (
      update webhook set deleted_at = register_now(), callback_sealed = '' from ended where webhook.id = ended.id)
    delete from webhook_secret using ended where webhook_id = ended.id`,
};

const FORGET = ['delete from webhook_secret where webhook_id = $1', 'select end_deliveries($1)'];

/** Webhooks of RTI Users (3-decisions-c-d.md, D.1): one at a supplier; another address takes the place of the first. */
export class RtiWebhookRepository {
  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly seals: RtiWebhookSeals,
  ) {}

  /** Registers an address, with a secret of its own; what waits goes to it, too. AUT001 and RTI001 unless both parties are active. */
  register(parties: Parties, url: string): Promise<RegisteredWebhook> {
    return inTransaction(this.database.pool, async (session) => {
      await lockActive(session, parties);
      const { webhookId, isNew } = await this.place(session, parties, url);
      const signingSecret = newSigningSecret();
      for (const statement of RETIRE) await session.query(statement, [webhookId]);
      await session.query(SECRET, [webhookId, this.seals.secret.seal(webhookId, signingSecret)]);
      return { webhookId, signingSecret, isNew };
    });
  }

  /** Removes a webhook with its address and its secrets; nothing more is sent. NTF006 when these parties have none with this id. */
  remove(webhookId: string, { mpid, userId }: Parties): Promise<void> {
    return inTransaction(this.database.pool, async (session) => {
      const { rowCount } = await session.query({ ...REMOVE, values: [webhookId, mpid, userId] });
      if (rowCount !== 1) throw new RegisterError('NTF006');
      for (const statement of FORGET) await session.query(statement, [webhookId]);
    });
  }

  /** Forgets some addresses and secrets of RTI Users that were removed, once all that they are still told has ended; how many secrets. */
  async forgetRemoved(): Promise<number> {
    return (await this.database.pool.query(FORGET_REMOVED)).rowCount ?? 0;
  }

  /** The one that is there is looked for again when it went away meanwhile. */
  private async place(session: Session, { mpid, userId }: Parties, url: string) {
    for (;;) {
      const webhookId = randomUUID();
      const values = [webhookId, mpid, userId, this.seals.url.seal(webhookId, url)];
      const { rowCount } = await session.query({ ...NEW, values });
      if (rowCount === 1) return { webhookId, isNew: true };
      const { rows } = await session.query<{ id: string }>({ ...LIVE, values: [mpid, userId] });
      const live = rows[0]?.id;
      if (live === undefined) continue;
      await session.query({ ...REPLACE, values: [live, this.seals.url.seal(live, url)] });
      return { webhookId: live, isNew: false };
    }
  }
}
