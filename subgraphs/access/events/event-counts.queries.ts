import type { Database } from '../../server/database/database';
import { sharedRead } from '../../server/shared-read';
import type { RegisterEventType } from './register-event';
import { AFTER_POSITION, type EventPosition, IS_STABLE } from '../../server/event-log/event-cursor';

/** Minutes for which counts are available: one day. */
export const MAX_MINUTES = 1_440;

/** Number of events of a type that were recorded in a minute. */
export interface EventCount {
  readonly minute: Date;
  readonly type: RegisterEventType;
  readonly count: number;
}

const MINUTE = 60_000;
/** Minutes that one statement counts, and events that one statement adds, which bounds its duration. */
const MINUTES_PER_STATEMENT = 30;
const EVENTS_PER_STATEMENT = 50_000;
/** Minutes without a request after which the counts in memory are dropped: counting again costs less than catching up. */
const IDLE_MINUTES = 60;

const PRESENT = `select event_era() as era, pg_snapshot_xmin(pg_current_snapshot()) as tx, pg_snapshot_xmax(pg_current_snapshot()) as next,
  date_trunc('minute', register_now(), 'UTC') as minute`;

const MINUTE_AND_TYPE = `date_trunc('minute', recorded_at, 'UTC') as minute, type`;
const COLUMNS = 'minute, type, count(*)::int as count';

/** Stable events after a position, counted by minute and type, and the position of the last one. */
const ADDED = `
  with added as materialized (
    select era, tx, position, ${MINUTE_AND_TYPE} from event
    where ${AFTER_POSITION} and ${IS_STABLE} order by era, tx, position limit ${EVENTS_PER_STATEMENT})
  select ${COLUMNS}, null::bigint as era, null::xid8 as tx, null::bigint as position from added group by minute, type
  union all
  (select null, null, null, era, tx, position from added order by era desc, tx desc, position desc limit 1)`;

/** Events after a position, stable or not. They are counted at every request. */
const LATEST = `select ${COLUMNS} from (select ${MINUTE_AND_TYPE} from event where ${AFTER_POSITION}) latest group by minute, type`;

/** Events up to a position that were recorded in a range of minutes; its end is exclusive. */
const RECORDED = `
  select ${COLUMNS} from (
    select ${MINUTE_AND_TYPE} from event
    where recorded_at >= $4::timestamptz and recorded_at < $5::timestamptz and (era, tx, position) <= ($1::bigint, $2::xid8, $3::bigint)
  ) recorded group by minute, type`;

interface Present {
  readonly era: string;
  readonly tx: string;
  /** Id of the next transaction to start. */
  readonly next: string;
  readonly minute: Date;
}

/** Counts in memory: every event up to a position that was recorded in a range of minutes; its end is exclusive. */
interface Counted {
  readonly era: string;
  through: EventPosition;
  /** Instants of minutes in milliseconds. */
  from: number;
  to: number;
  readAt: number;
  readonly minutes: Map<number, Map<RegisterEventType, number>>;
}

/** Counts of one read of the log, and the current minute at that time. */
interface LogRead {
  readonly now: number;
  readonly counts: readonly EventCount[];
}

/**
 * Counts the events of the last minutes. Each event is counted once, when it is stable, for the minute in which it was recorded; a late
 * commit or a moved clock makes no difference. One session reads the log at a time, and concurrent requests share its result.
 */
export class EventCounts {
  private known: Counted | undefined;
  private requested = 0;
  private readonly readLog = sharedRead(() => this.read());

  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** Returns how many events of each type were recorded in each of the last minutes, including the current one. */
  async ofLast(minutes: number): Promise<EventCount[]> {
    this.requested = Math.max(this.requested, minutes);
    const { now, counts } = await this.readLog();
    return counts.filter(({ minute }) => minute.getTime() > now - minutes * MINUTE);
  }

  private async read(): Promise<LogRead> {
    const span = this.requested;
    this.requested = 0;
    const [present] = (await this.rows<Present>(PRESENT, [])) as [Present];
    const now = present.minute.getTime();
    const known = (this.known = isContinuable(this.known, present, now) ? this.known : emptyCounts(present, now));
    while (await this.addStable(known));
    if (known.to < now + (MAX_MINUTES / 2) * MINUTE) await this.extend(known, known.to, now + MAX_MINUTES * MINUTE);
    const first = now - (span - 1) * MINUTE;
    while (known.from > first)
      await this.extend(known, Math.max(first, known.from - MINUTES_PER_STATEMENT * MINUTE), known.from);
    dropBefore(known, now - (MAX_MINUTES - 1) * MINUTE);
    known.readAt = now;
    return { now, counts: merged(known, await this.rows<EventCount>(LATEST, valuesOf(known.through)), now) };
  }

  /** Adds events that became stable since the last call; returns whether there may be more. */
  private async addStable(known: Counted): Promise<boolean> {
    const rows = await this.rows<EventCount & EventPosition>(ADDED, valuesOf(known.through));
    const counts = rows.filter(({ minute }) => minute !== null);
    const last = rows.find(({ minute }) => minute === null);
    const within = ({ minute }: EventCount) => minute.getTime() >= known.from && minute.getTime() < known.to;
    add(known.minutes, counts.filter(within));
    if (last) known.through = last;
    return counts.reduce((sum, { count }) => sum + count, 0) === EVENTS_PER_STATEMENT;
  }

  /** Adds events recorded in the minutes before or after the range in memory. */
  private async extend(known: Counted, from: number, to: number): Promise<void> {
    const values = [...valuesOf(known.through), new Date(from), new Date(to)];
    add(known.minutes, await this.rows<EventCount>(RECORDED, values));
    known.from = Math.min(known.from, from);
    known.to = Math.max(known.to, to);
  }

  private async rows<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    return (await this.database.pool.query<Row>(text, values)).rows;
  }
}

/** Empty counts: events that become stable later are added, earlier ones are counted by their minutes. */
function emptyCounts({ era, tx }: Present, now: number): Counted {
  return { era, through: { era, tx, position: '0' }, from: now, to: now, readAt: now, minutes: new Map() };
}

/** Whether the counts can be continued: not after a change of the log epoch, a large move of the clock, or a long time without requests. */
function isContinuable(known: Counted | undefined, { era, next }: Present, now: number): known is Counted {
  return (
    known !== undefined &&
    known.era === era &&
    BigInt(known.through.tx) <= BigInt(next) &&
    now >= known.from &&
    now < known.to &&
    now - known.readAt < IDLE_MINUTES * MINUTE
  );
}

const valuesOf = ({ era, tx, position }: EventPosition) => [era, tx, position];

function add(minutes: Counted['minutes'], counts: readonly EventCount[]): void {
  for (const { minute, type, count } of counts) {
    const types = minutes.get(minute.getTime()) ?? new Map<RegisterEventType, number>();
    minutes.set(minute.getTime(), types.set(type, (types.get(type) ?? 0) + count));
  }
}

function dropBefore(known: Counted, first: number): void {
  known.from = Math.max(known.from, first);
  for (const minute of known.minutes.keys()) if (minute < first) known.minutes.delete(minute);
}

/** Counts in memory and of the latest events, up to the current minute, in order. */
function merged({ minutes }: Counted, latest: readonly EventCount[], now: number): EventCount[] {
  const all: Counted['minutes'] = new Map([...minutes].map(([minute, types]) => [minute, new Map(types)]));
  add(all, latest);
  return [...all]
    .filter(([minute]) => minute <= now)
    .toSorted(([one], [other]) => one - other)
    .flatMap(([minute, types]) =>
      [...types].toSorted().map(([type, count]) => ({ minute: new Date(minute), type, count })),
    );
}
