import type { Connection, PageRequest } from '../../server/lists/connection';
import type { Database } from '../../server/database/database';
import {
  AFTER_POSITION,
  type EventPosition,
  IS_STABLE,
  eventCursor,
  eventPosition,
} from '../../server/event-log/event-cursor';
import {
  type EventFollowing,
  type EventPage,
  type SelectedEvents,
  eventFollowing,
  requireEventPage,
} from '../../server/event-log/event-follow';
import { longReads, rowsByKey } from '../../server/database/rows-by-key';
import type { MpxnCipher, StoredMpxn } from '../occupancies/mpxn-cipher.repository';
import { INSTANT_OF_EVENT, STORED_MPXN_COLUMNS, storedMpxn } from '../occupancies/tariff-occupancies.sql';
import type { TariffDeliveryState, TariffEventType } from './tariff-event';

/** A filter of events: both conditions must hold; null is ignored. */
export interface TariffEventFilter {
  readonly mpid: string | null;
  readonly types: readonly TariffEventType[] | null;
}

/** The fields of an event that decide who may read it. */
export interface TariffEventEntry {
  readonly id: string;
  readonly type: TariffEventType;
  /** The supplier whose RTI Users receive the event. */
  readonly mpid: string;
}

/** Columns of a {@link TariffEventEntry}. */
const ENTRY_COLUMNS = 'id, type, mpid';

interface EventRow extends EventPosition, TariffEventEntry, StoredMpxn {
  readonly occurredAt: Date;
  readonly recordedAt: Date;
  readonly tariffId: string | null;
  readonly consentId: string | null;
}

/** An event of the log. */
export interface LoggedTariffEvent extends TariffEventEntry {
  readonly cursor: string;
  /** When it took effect. */
  readonly at: Date;
  readonly recordedAt: Date;
  readonly tariffId: string | null;
  readonly consentId: string | null;
  /** Returns null for a cessation, and if the occupancy was erased. */
  decryptMpxn(): string | null;
}

/** The state of an event's delivery to one webhook. */
export interface TariffEventDelivery {
  readonly webhookId: string;
  readonly userId: string;
  readonly state: TariffDeliveryState;
  readonly attempts: number;
}

const withMpxn = (events: string): string => `
  select event.id, era, tx, position, type, occurred_at as "occurredAt", recorded_at as "recordedAt", mpid, tariff_id as "tariffId",
    consent_id as "consentId", event.mpxn_hash as "mpxnHash", ${STORED_MPXN_COLUMNS}
  from (${events}) event ${storedMpxn('event.mpxn_hash', INSTANT_OF_EVENT)}`;

const BY_ID = { name: 'tariff_event_by_id', text: withMpxn('select * from event where id = any($1)') };

const IN_ORDER = 'order by era, tx, position';

/** Returns a statement per combination of conditions, so that each has a plan with its own index. Reads each type separately. */
function selectedBy({ mpid, types }: TariffEventFilter): SelectedEvents {
  const where = `${AFTER_POSITION} and ${IS_STABLE} and ${mpid === null ? '$5::text is null' : 'mpid = $5'}`;
  const text =
    types === null
      ? `select * from event where ${where} and $6::text[] is null ${IN_ORDER} limit $4`
      : `select event.* from unnest($6::text[]) requested (requested_type) cross join lateral (
          select * from event where type = requested_type and ${where} ${IN_ORDER} limit $4) event ${IN_ORDER} limit $4`;
  const name = ['tariff_events', mpid && 'of_supplier', types && 'of_types'].filter(Boolean).join('_');
  return { statement: { name, text }, values: [mpid, types && [...new Set(types)]] };
}

/**
 * Joins through the webhooks of the supplier, because the index of deliveries is on endpoint and event. A webhook that was removed before the
 * event has no delivery; the transaction of a removal ends within a minute.
 */
const DELIVERIES = {
  name: 'deliveries_of_tariff_events',
  text: `select event.id as "eventId", webhook.id as "webhookId", user_id as "userId", delivery.state,
      jsonb_array_length(attempts) as attempts
    from event
      join webhook on webhook.mpid = event.mpid and coalesce(deleted_at, 'infinity') > event.recorded_at - interval '1 minute'
      join delivery on delivery.endpoint_id = webhook.id and delivery.event_id = event.id
    where event.id = any($1::text[]) order by webhook.created_at, webhook.id`,
};

/** Reads the event log of tariffs: one row per event, ordered by epoch, transaction and position. */
export class TariffEventQueries {
  /** Returns the deliveries of an event, in the order in which their webhooks were registered. An event may have many: they are no short read. */
  readonly deliveriesOf: (eventId: string) => Promise<readonly TariffEventDelivery[]>;
  private readonly rowById: (id: string) => Promise<EventRow | undefined>;
  private readonly following: EventFollowing<TariffEventEntry>;
  /** Reads what a subscription with a filter missed, through the pool: the connections of the short reads admit consumers. */
  private readonly catchingUp: EventFollowing<TariffEventEntry>;

  constructor(
    private readonly database: Pick<Database, 'pool' | 'reads'>,
    private readonly mpxns: Pick<MpxnCipher, 'decrypt'>,
  ) {
    this.rowById = database.reads.byKey(BY_ID, (row: EventRow) => row.id, String);
    this.following = eventFollowing(database.reads, ENTRY_COLUMNS);
    this.catchingUp = eventFollowing(longReads(database), ENTRY_COLUMNS);
    type DeliveryRow = TariffEventDelivery & { readonly eventId: string };
    this.deliveriesOf = rowsByKey(longReads(database), DELIVERIES, ({ eventId }: DeliveryRow) => [eventId] as const);
  }

  /** Returns an event by its id; null if there is none. */
  async byId(id: string): Promise<LoggedTariffEvent | null> {
    const row = await this.rowById(id);
    return row ? this.logged(row) : null;
  }

  /** Returns the page after a cursor, oldest first, in the order of a subscription. */
  async page(filter: TariffEventFilter, page: PageRequest): Promise<Connection<LoggedTariffEvent>> {
    requireEventPage(page.first, filter.types, ['filter', 'types']);
    const { statement, values: conditions } = selectedBy(filter);
    const text = `${withMpxn(statement.text)} ${IN_ORDER}`;
    const values = [...eventPosition(page.after), page.first + 1, ...conditions];
    const { rows } = await this.database.pool.query<EventRow>({ name: statement.name, text, values });
    return this.following.page(rows, page, (row) => this.logged(row));
  }

  /** Returns the selected entries after a cursor; without a cursor, only the cursor of the end. */
  follow(filter: TariffEventFilter, after: string | null, first: number): Promise<EventPage<TariffEventEntry>> {
    const isFiltered = filter.types !== null || filter.mpid !== null;
    return (isFiltered ? this.catchingUp : this.following).follow(selectedBy(filter), after, first);
  }

  private logged(row: EventRow): LoggedTariffEvent {
    const { id, type, mpid, occurredAt: at, recordedAt, tariffId, consentId } = row;
    const decryptMpxn = () => this.mpxns.decrypt(row);
    return { id, type, mpid, at, recordedAt, tariffId, consentId, cursor: eventCursor(row), decryptMpxn };
  }
}
