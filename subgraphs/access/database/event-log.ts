import { type Connection, type PageRequest, connectionOf, requirePageSize } from '../../server/connection';
import type { Database } from '../../server/database';
import { AFTER_POSITION, type EventPosition, IS_SETTLED, eventCursor, eventPosition } from '../../server/event-cursor';
import { type EventFollowing, LARGEST_EVENT_PAGE, eventFollowing } from '../../server/event-follow';
import type { NamedStatement } from '../../server/short-reads';
import type { AccessState, RevocationReason } from '../domain/access-record';
import type { RegisterEventType } from '../domain/register-event';
import type { TransitionCause } from '../domain/state-transitions';
import type { Transition } from './record-history';

/** Which events; null leaves a condition out. */
export interface EventFilter {
  readonly types: readonly RegisterEventType[] | null;
  readonly duid: string | null;
}

/** What is needed to tell who may learn of an event. */
export interface EventLogEntry {
  readonly id: string;
  readonly cursor: string;
  readonly type: RegisterEventType;
  readonly duid: string | null;
}

/** Entries of the log, and the cursor after which the next ones come. */
export interface EventLogPage {
  readonly cursor: string;
  readonly entries: readonly EventLogEntry[];
}

/** An event as the log holds it, with the transition that it tells of. */
export interface EventRow extends EventPosition {
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

/** An event as the graph reads it. */
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
  /** The state change that it tells of: it was when the event occurred. */
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

/** Seldom anything is not a registration: without these, each type is read by itself from the index of the rarer ones. */
const OF_RARER_TYPES = (where: string, order: string): string => `
  select event.* from unnest($6::text[]) wanted (wanted_type) cross join lateral (
    select * from event where type = wanted_type and type <> 'access.registered' and ${where} ${order} limit $4) event
  ${order} limit $4`;

/** A statement for each filter, so that each keeps a plan of its own index; `$5` and `$6` are cast where they are not asked for. */
function pageStatement({ types, duid }: EventFilter, isNewestFirst: boolean): NamedStatement {
  const order = isNewestFirst ? NEWEST_FIRST : OLDEST_FIRST;
  const where = `${AFTER_POSITION} and ${IS_SETTLED} and ${duid === null ? '$5::text is null' : 'duid = $5'}`;
  const isOfRarer = types !== null && duid === null && !types.includes('access.registered');
  const ofTypes = types === null ? '$6::text[] is null' : 'type = any($6::text[])';
  const rows = isOfRarer
    ? OF_RARER_TYPES(where, order)
    : `select * from event where ${where} and ${ofTypes} ${order} limit $4`;
  const kind = [isNewestFirst ? 'latest' : 'first', duid && 'of_data_user', types && (isOfRarer ? 'rarer' : 'types')];
  return { name: ['events', ...kind.filter(Boolean)].join('_'), text: `${withTransition(rows)} ${order}` };
}

/** The event log: one row for each fact, in the order in which transactions settle (architecture, decision 8). */
export class EventLog {
  private readonly rowById: (id: string) => Promise<EventRow | undefined>;
  private readonly following: EventFollowing<Omit<EventLogEntry, 'cursor'>>;

  constructor(private readonly database: Database) {
    this.following = eventFollowing(database.reads, 'id, type, duid');
    this.rowById = database.reads.byKey(BY_ID, (row: EventRow) => row.id, String);
  }

  /** An event by its id. */
  async byId(id: string): Promise<LoggedEvent | null> {
    const row = await this.rowById(id);
    return row ? new LoggedEvent(row) : null;
  }

  /** A page of the log, oldest first: as a stream would bring it. */
  async page(filter: EventFilter, page: PageRequest): Promise<Connection<LoggedEvent>> {
    requirePageSize(page.first, LARGEST_EVENT_PAGE);
    const rows = await this.rows(filter, page.after, page.first + 1, false);
    if (rows.length === 0 && page.after !== null) await this.following.requirePast(page.after);
    return connectionOf(rows, { ...page, after: page.after || null }, eventCursor, (row) => new LoggedEvent(row));
  }

  /** The latest events, newest first. */
  async latest(filter: EventFilter, first: number): Promise<LoggedEvent[]> {
    requirePageSize(first, LARGEST_EVENT_PAGE);
    return (await this.rows(filter, null, first, true)).map((row) => new LoggedEvent(row));
  }

  /** What followed a cursor, whoever it is for; without a cursor nothing but the cursor from now on; everything after the empty one. */
  follow(after: string | null, first: number): Promise<EventLogPage> {
    return this.following.follow(after, first);
  }

  private async rows(filter: EventFilter, after: string | null, most: number, isNewestFirst: boolean) {
    const values = [...eventPosition(after), most, filter.duid, filter.types];
    return (await this.database.pool.query<EventRow>({ ...pageStatement(filter, isNewestFirst), values })).rows;
  }
}
