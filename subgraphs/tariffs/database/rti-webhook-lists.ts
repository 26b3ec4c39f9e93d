import {
  type Connection,
  type PageRequest,
  connectionOf,
  cursorOf,
  cursorPosition,
  instantText,
} from '../../server/connection';
import type { Database } from '../../server/database';
import type { RtiWebhookSeals } from './rti-webhook.repository';

/** Which webhooks: both conditions hold, one that is null or left out does not count. */
export interface RtiWebhookFilter {
  readonly mpid?: string | null;
  readonly userId?: string | null;
}

/** A webhook as it is. */
export interface StoredRtiWebhook {
  readonly webhookId: string;
  readonly mpid: string;
  readonly userId: string;
  readonly createdAt: Date;
  /** When another address took the place of the first; null when none did. */
  readonly replacedAt: Date | null;
  openUrl(): string;
}

type ListedWebhook = Omit<StoredRtiWebhook, 'openUrl'> & { readonly instant: string; readonly sealed: Buffer };

const PAGE = {
  name: 'rti_webhooks',
  text: `select id as "webhookId", mpid, user_id as "userId", created_at as "createdAt", replaced_at as "replacedAt", callback_sealed as sealed,
      ${instantText('created_at')} as instant
    from webhook where deleted_at is null and (created_at, id) < ($1::timestamptz, $2::uuid)
      and ($4::text is null or mpid = $4) and ($5::text is null or user_id = $5)
    order by created_at desc, id desc limit $3`,
};

/** Deliveries that are counted of a webhook; beyond them is "more than 10,000". */
const MOST_COUNTED = 10_001;

const PENDING = {
  name: 'pending_of_rti_webhooks',
  text: `select id as "webhookId", (
      select count(*) from (
        select from delivery where endpoint_id = webhook.id and state = 'pending' limit ${MOST_COUNTED}) counted)::int as pending
    from webhook where id = any($1::uuid[])`,
};

/** Webhooks of RTI Users, the last one registered first. */
export class RtiWebhookLists {
  private readonly pendingOf: (webhookId: string) => Promise<{ readonly pending: number } | undefined>;

  constructor(
    private readonly database: Pick<Database, 'pool' | 'reads'>,
    private readonly seals: RtiWebhookSeals,
  ) {
    type Row = { readonly webhookId: string; readonly pending: number };
    this.pendingOf = database.reads.byKey(PENDING, ({ webhookId }: Row) => webhookId, String);
  }

  /** Deliveries that are still to be made, 10,001 at most; for all webhooks of an answer by one statement. */
  async pending(webhookId: string): Promise<number> {
    return (await this.pendingOf(webhookId))?.pending ?? 0;
  }

  /** A page of them. */
  async page({ mpid, userId }: RtiWebhookFilter, page: PageRequest): Promise<Connection<StoredRtiWebhook>> {
    const values = [...cursorPosition(page.after), page.first + 1, mpid ?? null, userId ?? null];
    const { rows } = await this.database.pool.query<ListedWebhook>({ ...PAGE, values });
    const cursor = ({ instant, webhookId }: ListedWebhook) => cursorOf([instant, webhookId]);
    return connectionOf(rows, page, cursor, ({ sealed, ...row }) => ({
      ...row,
      openUrl: () => this.seals.url.open(row.webhookId, sealed),
    }));
  }
}
