import type { Connection, PageRequest } from '../../server/lists/connection';
import { newestFirst } from '../../server/lists/paged-list';
import type { Database } from '../../server/database/database';
import { longReads, rowsByKey } from '../../server/database/rows-by-key';
import type { RtiWebhookCiphers } from './rti-webhook.repository';

/** A filter of webhooks: both conditions must hold; null and absent ones are ignored. */
export interface RtiWebhookFilter {
  readonly mpid?: string | null;
  readonly userId?: string | null;
}

/** A webhook as stored. */
export interface StoredRtiWebhook {
  readonly webhookId: string;
  readonly mpid: string;
  readonly userId: string;
  readonly createdAt: Date;
  /** When its address was last replaced; null if it never was. */
  readonly replacedAt: Date | null;
  decryptUrl(): string;
}

type WebhookRow = Omit<StoredRtiWebhook, 'decryptUrl'> & { readonly encryptedUrl: Buffer };

const WEBHOOKS = {
  name: 'rti_webhooks',
  columns: `id as "webhookId", mpid, user_id as "userId", created_at as "createdAt", replaced_at as "replacedAt",
    callback_sealed as "encryptedUrl"`,
  from: 'webhook',
  where: 'deleted_at is null and ($1::text is null or mpid = $1) and ($2::text is null or user_id = $2)',
  instant: 'created_at',
  id: 'id',
};

/** Limit of the count of deliveries; clients display it as "more than 10,000". */
const MAX_COUNT = 10_001;

const PENDING = {
  name: 'pending_of_rti_webhooks',
  text: `select id as "webhookId", (
      select count(*) from (
        select from delivery where endpoint_id = webhook.id and state = 'pending' limit ${MAX_COUNT}) counted)::int as pending
    from webhook where id = any($1::uuid[])`,
};

/** Reads the webhooks of RTI Users, the latest first. */
export class RtiWebhookQueries {
  private readonly pendingOf: (webhookId: string) => Promise<readonly { readonly pending: number }[]>;

  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly ciphers: RtiWebhookCiphers,
  ) {
    type Row = { readonly webhookId: string; readonly pending: number };
    this.pendingOf = rowsByKey(longReads(database), PENDING, ({ webhookId }: Row) => [webhookId] as const);
  }

  /** Returns the number of pending deliveries, at most 10,001; one statement for all webhooks of a response. */
  async pending(webhookId: string): Promise<number> {
    return (await this.pendingOf(webhookId))[0]?.pending ?? 0;
  }

  /** Returns the page after a cursor. */
  page({ mpid, userId }: RtiWebhookFilter, page: PageRequest): Promise<Connection<StoredRtiWebhook>> {
    const nodeOf = ({ encryptedUrl, ...row }: WebhookRow) => ({
      ...row,
      decryptUrl: () => this.ciphers.url.decrypt(row.webhookId, encryptedUrl),
    });
    return newestFirst(this.database.pool, WEBHOOKS, [mpid ?? null, userId ?? null], page, nodeOf);
  }
}
