import type { Database } from '../../server/database/database';
import { longReads } from '../../server/database/rows-by-key';
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
import type { Connection, PageRequest } from '../../server/lists/connection';
import type { AccessState, RevocationReason } from '../records/access-record';
import type { Transition } from '../records/record-history.queries';
import type { TransitionCause } from '../records/transitions';
import type { RegisterEventType } from './register-event';

/** Conditions on events; null omits a condition. */
export interface EventFilter {
  readonly types: readonly RegisterEventType[] | null;
  readonly duid: string | null;
}

/** Fields of an event that decide who may read it. */
export interface EventLogEntry {
  readonly id: string;
  readonly type: RegisterEventType;
  readonly duid: string | null;
}

/** Columns of an {@link EventLogEntry}. */
const ENTRY_COLUMNS = 'id, type, duid';

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

/** Named columns: a prepared `*` fails in the sessions that are open while a later release adds a column. */
const withTransition = (events: string): string => `
  select event.id, era, tx, position, type, event.occurred_at, recorded_at, duid, event.record_id, webhook_id, change_id, record_ids, expiry,
    days_remaining, from_state, to_state, cause, reason
  from (${events}) event
    left join access_record_transition transition on transition.record_id = event.record_id and number = event.transition`;

const BY_ID = { name: 'event_by_id', text: withTransition('select * from event where id = any($1)') };

const OLDEST_FIRST = 'order by era, tx, position';
const NEWEST_FIRST = 'order by era desc, tx desc, position desc';

/** Most events are registrations. Without them, each type is read separately from an index of the rarer types. */
const ofRarerTypes = (where: string, order: string): string => `
  select event.* from unnest($6::text[]) wanted (wanted_type) cross join lateral (
    select * from event where type = wanted_type and type <> 'access.registered' and ${where} ${order} limit $4) event
  ${order} limit $4`;

/** Statement of a filter, with its own plan and index. Unused parameters are cast, because PostgreSQL requires a use of each. */
function selectedBy({ types, duid }: EventFilter, isNewestFirst = false): SelectedEvents {
  const order = isNewestFirst ? NEWEST_FIRST : OLDEST_FIRST;
  const where = `${AFTER_POSITION} and ${IS_STABLE} and ${duid === null ? '$5::text is null' : 'duid = $5'}`;
  const isOfRarer = types !== null && !types.includes('access.registered');
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
  private readonly following: EventFollowing<EventLogEntry>;
  /** Reads what a subscription with a filter missed, through the pool: the connections of the short reads serve verifications. */
  private readonly catchingUp: EventFollowing<EventLogEntry>;

  constructor(private readonly database: Database) {
    this.following = eventFollowing(database.reads, ENTRY_COLUMNS);
    this.catchingUp = eventFollowing(longReads(database), ENTRY_COLUMNS);
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
    return this.following.page(rows, page, (row) => new LoggedEvent(row));
  }

  /** Returns the latest events, newest first. */
  async latest(filter: EventFilter, first: number): Promise<LoggedEvent[]> {
    requireEventPage(first, filter.types, ['types']);
    return (await this.rows(filter, null, first, true)).map((row) => new LoggedEvent(row));
  }

  /** Returns selected entries after a cursor, from the start for the empty one; for null only the current cursor. */
  follow(filter: EventFilter, after: string | null, first: number): Promise<EventPage<EventLogEntry>> {
    const isFiltered = filter.types !== null || filter.duid !== null;
    return (isFiltered ? this.catchingUp : this.following).follow(selectedBy(filter), after, first);
  }

  private async rows(filter: EventFilter, after: string | null, limit: number, isNewestFirst: boolean) {
    const { statement, values: conditions } = selectedBy(filter, isNewestFirst);
    const text = `${withTransition(statement.text)} ${isNewestFirst ? NEWEST_FIRST : OLDEST_FIRST}`;
    const values = [...eventPosition(after), limit, ...conditions];
    return (await this.database.pool.query<EventRow>({ name: statement.name, text, values })).rows;
  }
}
