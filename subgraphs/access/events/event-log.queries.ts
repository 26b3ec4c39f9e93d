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
  type SelectedEvents,
  eventFollowing,
  requireEventPage,
} from '../../server/event-log/event-follow';
import { type Connection, type PageRequest, connectionOf } from '../../server/lists/connection';
import type { AccessState, RevocationReason } from '../records/access-record';
import type { Transition } from '../records/record-history.queries';
import type { TransitionCause } from '../records/transitions';
import type { DeliveryState } from '../webhooks/webhook';
import type { RegisterEventType } from './register-event';

/** Conditions on events; null omits a condition. */
export interface EventFilter {
  readonly types: readonly RegisterEventType[] | null;
  readonly duid: string | null;
}

/** Fields of an event that decide who may read it. */
export interface EventLogEntry {
  readonly id: string;
  readonly cursor: string;
  readonly type: RegisterEventType;
  readonly duid: string | null;
}

/** Entries of the log, and the cursor after the last one. */
export interface EventLogPage {
  readonly cursor: string;
  readonly entries: readonly EventLogEntry[];
}

/** An event of the log with its state transition. */
interface EventRow extends EventPosition {
  readonly id: string;
  readonly type: RegisterEventType;
  readonly occurred_at: Date;
  readonly recorded_at: Date;
  readonly duid: string | null;
  readonly record_id: string | null;
  readonly webhook_id: string | null;
  readonly change_id: string | null;
  readonly record_ids: readonly string[] | null;
  readonly expiry: Date | null;
  readonly days_remaining: number | null;
  readonly from_state: AccessState | null;
  readonly to_state: AccessState | null;
  readonly cause: TransitionCause | null;
  readonly reason: RevocationReason | null;
}

/** An event as GraphQL reads it. */
export class LoggedEvent {
  constructor(readonly row: EventRow) {}
  get id(): string {
    return this.row.id;
  }
  get cursor(): string {
    return eventCursor(this.row);
  }
  get type(): RegisterEventType {
    return this.row.type;
  }
  get occurredAt(): Date {
    return this.row.occurred_at;
  }
  get recordedAt(): Date {
    return this.row.recorded_at;
  }
  get expiry(): Date | null {
    return this.row.expiry;
  }
  get daysRemaining(): number | null {
    return this.row.days_remaining;
  }
  /** State transition of the event; it occurred at the same instant. */
  get transition(): Transition | null {
    const { from_state: from, to_state: to, cause, reason, occurred_at: at } = this.row;
    return to === null || cause === null ? null : { at, from, to, cause, reason };
  }
}

const withTransition = (events: string): string => `
  select event.*, from_state, to_state, cause, reason from (${events}) event
    left join access_record_transition transition on transition.record_id = event.record_id and number = event.transition`;

const BY_ID = { name: 'event_by_id', text: withTransition('select * from event where id = any($1)') };

const OLDEST_FIRST = 'order by era, tx, position';
const NEWEST_FIRST = 'order by era desc, tx desc, position desc';

/** Most events are registrations. Without them, each type is read separately from the index of the rarer types. */
const ofRarerTypes = (where: string, order: string): string => `
  select event.* from unnest($6::text[]) wanted (wanted_type) cross join lateral (
    select * from event where type = wanted_type and type <> 'access.registered' and ${where} ${order} limit $4) event
  ${order} limit $4`;

/** Statement of a filter, with its own plan and index. Unused parameters are cast, because PostgreSQL requires a use of each. */
function selectedBy({ types, duid }: EventFilter, isNewestFirst = false): SelectedEvents {
  const order = isNewestFirst ? NEWEST_FIRST : OLDEST_FIRST;
  const where = `${AFTER_POSITION} and ${IS_STABLE} and ${duid === null ? '$5::text is null' : 'duid = $5'}`;
  const isOfRarer = types !== null && duid === null && !types.includes('access.registered');
  const ofTypes = types === null ? '$6::text[] is null' : 'type = any($6::text[])';
  const text = isOfRarer
    ? ofRarerTypes(where, order)
    : `select * from event where ${where} and ${ofTypes} ${order} limit $4`;
  const kind = [isNewestFirst ? 'latest' : 'first', duid && 'of_data_user', types && (isOfRarer ? 'rarer' : 'types')];
  const statement = { name: ['events', ...kind.filter(Boolean)].join('_'), text };
  return { statement, values: [duid, types && [...new Set(types)]] };
}

/** The event log: one row per event, in the order in which transactions become stable (`subgraphs/server/event-log/event-cursor.ts`). */
export class EventLog {
  private readonly rowById: (id: string) => Promise<EventRow | undefined>;
  private readonly following: EventFollowing<Omit<EventLogEntry, 'cursor'>>;

  constructor(private readonly database: Database) {
    this.following = eventFollowing(database.reads, 'id, type, duid');
    this.rowById = database.reads.byKey(BY_ID, (row: EventRow) => row.id, String);
  }

  /** Returns the event with an id. */
  async byId(id: string): Promise<LoggedEvent | null> {
    const row = await this.rowById(id);
    return row ? new LoggedEvent(row) : null;
  }

  /** Returns a page of the log, oldest first, in the order in which a subscription sends events. */
  async page(filter: EventFilter, page: PageRequest): Promise<Connection<LoggedEvent>> {
    requireEventPage(page.first, filter.types, ['types']);
    const rows = await this.rows(filter, page.after, page.first + 1, false);
    if (rows.length === 0 && page.after !== null) await this.following.requirePast(page.after);
    return connectionOf(rows, { ...page, after: page.after || null }, eventCursor, (row) => new LoggedEvent(row));
  }

  /** Returns the latest events, newest first. */
  async latest(filter: EventFilter, first: number): Promise<LoggedEvent[]> {
    requireEventPage(first, filter.types, ['types']);
    return (await this.rows(filter, null, first, true)).map((row) => new LoggedEvent(row));
  }

  /** Returns selected entries after a cursor, from the start for the empty one; for null only the current cursor. */
  follow(filter: EventFilter, after: string | null, first: number): Promise<EventLogPage> {
    return this.following.follow(selectedBy(filter), after, first);
  }

  private async rows(filter: EventFilter, after: string | null, limit: number, isNewestFirst: boolean) {
    const { statement, values: conditions } = selectedBy(filter, isNewestFirst);
    const text = `${withTransition(statement.text)} ${isNewestFirst ? NEWEST_FIRST : OLDEST_FIRST}`;
    const values = [...eventPosition(after), limit, ...conditions];
    return (await this.database.pool.query<EventRow>({ name: statement.name, text, values })).rows;
  }
}

/** Delivery of an event to one subscription. */
export interface EventDelivery {
  readonly webhookId: string;
  readonly status: DeliveryState;
  readonly attempts: number;
}

/** Joined through the subscriptions of the Data User, because deliveries are indexed by endpoint and event. */
const DELIVERIES = {
  name: 'deliveries_of_event',
  text: `select event.id, coalesce(json_agg(json_build_object('webhookId', webhook.id, 'status', delivery.state, 'attempts',
        jsonb_array_length(delivery.attempts)) order by webhook.created_at, webhook.id), '[]') as deliveries
    from event join webhook on webhook.duid = event.duid
      join delivery on delivery.endpoint_id = webhook.id and delivery.event_id = event.id
    where event.id = any($1) group by event.id`,
};

const EFFECTIVE_DATE = {
  name: 'effective_date_of_change',
  text: 'select id, effective_date::text from tenancy_change where id = any($1::uuid[])',
};

/** Data related to events; one statement reads it for all events of a request. */
export interface EventRelations {
  /** Its deliveries, in the order in which their subscriptions were registered. */
  deliveries(eventId: string): Promise<readonly EventDelivery[]>;
  /** Effective date of a change of tenancy, `YYYY-MM-DD`. */
  effectiveDate(changeId: string): Promise<string | null>;
}

/** Reads deliveries and effective dates of events. */
export function eventRelations({ reads }: Database): EventRelations {
  type DeliveriesRow = { readonly id: string; readonly deliveries: readonly EventDelivery[] };
  type DateRow = { readonly id: string; readonly effective_date: string };
  const deliveries = reads.byKey<string, DeliveriesRow>(DELIVERIES, ({ id }) => id, String);
  const effectiveDate = reads.byKey<string, DateRow>(EFFECTIVE_DATE, ({ id }) => id, String);
  return {
    deliveries: async (eventId) => (await deliveries(eventId))?.deliveries ?? [],
    effectiveDate: async (changeId) => (await effectiveDate(changeId))?.effective_date ?? null,
  };
}
