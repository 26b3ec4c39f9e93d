import type { Database } from '../../server/database';
import type { RegisterEventType } from '../domain/register-event';
import { AFTER_POSITION, type EventPosition, IS_SETTLED } from '../../server/event-cursor';

/** Minutes of which counts can be asked for, and that are kept: a day. */
export const LONGEST_SPAN = 1_440;

/** How many events of a type were recorded in a minute. */
export interface EventCount {
  readonly minute: Date;
  readonly type: RegisterEventType;
  readonly count: number;
}

const MINUTE = 60_000;
/** Minutes that one statement counts, and events that one statement adds, so that none takes long. */
const STRETCH = 30;
const MOST_ADDED = 50_000;
/** Minutes after which what was not asked for is forgotten: to begin anew is less work than to catch up. */
const FORGOTTEN_AFTER = 60;

const PRESENT = `select event_era() as era, pg_snapshot_xmin(pg_current_snapshot()) as tx, pg_snapshot_xmax(pg_current_snapshot()) as next,
  date_trunc('minute', register_now(), 'UTC') as minute`;

const MINUTE_AND_TYPE = `date_trunc('minute', recorded_at, 'UTC') as minute, type`;
const COUNTED = 'minute, type, count(*)::int as count';

/** Settled events that follow a position, and the position of the last one. */
const ADDED = `
  with added as materialized (
    select era, tx, position, ${MINUTE_AND_TYPE} from event
    where ${AFTER_POSITION} and ${IS_SETTLED} order by era, tx, position limit ${MOST_ADDED})
  select ${COUNTED}, null::bigint as era, null::xid8 as tx, null::bigint as position from added group by minute, type
  union all
  (select null, null, null, era, tx, position from added order by era desc, tx desc, position desc limit 1)`;

/** What follows a position, settled or not: it is counted anew each time. */
const LATEST = `select ${COUNTED} from (select ${MINUTE_AND_TYPE} from event where ${AFTER_POSITION}) latest group by minute, type`;

/** Events up to a position that were recorded from one minute to before another. */
const RECORDED = `
  select ${COUNTED} from (
    select ${MINUTE_AND_TYPE} from event
    where recorded_at >= $4::timestamptz and recorded_at < $5::timestamptz and (era, tx, position) <= ($1::bigint, $2::xid8, $3::bigint)
  ) recorded group by minute, type`;

interface Present {
  readonly era: string;
  readonly tx: string;
  /** The first transaction that is still to come. */
  readonly next: string;
  readonly minute: Date;
}

/** Every event up to a position, as far as it was recorded from one minute to before another. */
interface Known {
  readonly era: string;
  through: EventPosition;
  /** Instants of minutes, in milliseconds. */
  from: number;
  to: number;
  askedAt: number;
  readonly minutes: Map<number, Map<RegisterEventType, number>>;
}

/** The counts of one look, and the minute that was the present one. */
interface Look {
  readonly now: number;
  readonly counts: readonly EventCount[];
}

/**
 * Counts the events of the last minutes. Each event is counted once, when it is settled, for the minute in which it was recorded: neither
 * a late commit nor a clock that is moved makes a difference. One look at the log at a time, by one session, for all who ask meanwhile.
 */
export class EventCounts {
  private known: Known | undefined;
  private asked = 0;
  private last: Promise<unknown> = Promise.resolve();
  private next: Promise<Look> | undefined;

  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** How many events of each type were recorded in each of the last minutes, the present one included. */
  async ofLast(minutes: number): Promise<EventCount[]> {
    this.asked = Math.max(this.asked, minutes);
    const look = () => this.look();
    this.next ??= this.last = this.last.then(look, look) as Promise<Look>;
    const { now, counts } = await (this.next as Promise<Look>);
    return counts.filter(({ minute }) => minute.getTime() > now - minutes * MINUTE);
  }

  private async look(): Promise<Look> {
    const span = this.asked;
    [this.asked, this.next] = [0, undefined];
    const [present] = (await this.rows<Present>(PRESENT, [])) as [Present];
    const now = present.minute.getTime();
    const known = (this.known = goesOn(this.known, present, now) ? this.known : nothing(present, now));
    while (await this.addSettled(known));
    if (known.to < now + (LONGEST_SPAN / 2) * MINUTE) await this.extend(known, known.to, now + LONGEST_SPAN * MINUTE);
    const first = now - (span - 1) * MINUTE;
    while (known.from > first) await this.extend(known, Math.max(first, known.from - STRETCH * MINUTE), known.from);
    forgetBefore(known, now - (LONGEST_SPAN - 1) * MINUTE);
    known.askedAt = now;
    return { now, counts: told(known, await this.rows<EventCount>(LATEST, valuesOf(known.through)), now) };
  }

  /** Adds what was settled since; whether there may be more. */
  private async addSettled(known: Known): Promise<boolean> {
    const rows = await this.rows<EventCount & EventPosition>(ADDED, valuesOf(known.through));
    const counts = rows.filter(({ minute }) => minute !== null);
    const last = rows.find(({ minute }) => minute === null);
    const within = ({ minute }: EventCount) => minute.getTime() >= known.from && minute.getTime() < known.to;
    add(known.minutes, counts.filter(within));
    if (last) known.through = last;
    return counts.reduce((sum, { count }) => sum + count, 0) === MOST_ADDED;
  }

  /** Adds what was recorded in minutes next to those that are known. */
  private async extend(known: Known, from: number, to: number): Promise<void> {
    const values = [...valuesOf(known.through), new Date(from), new Date(to)];
    add(known.minutes, await this.rows<EventCount>(RECORDED, values));
    known.from = Math.min(known.from, from);
    known.to = Math.max(known.to, to);
  }

  private async rows<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    return (await this.database.pool.query<Row>(text, values)).rows;
  }
}

/** Nothing is known yet but where to begin: what is settled later is added, what was before is counted by its minutes. */
function nothing({ era, tx }: Present, now: number): Known {
  return { era, through: { era, tx, position: '0' }, from: now, to: now, askedAt: now, minutes: new Map() };
}

/** Whether it goes on: not when the database lives another life, the clock was moved far, or nobody asked for long. */
function goesOn(known: Known | undefined, { era, next }: Present, now: number): known is Known {
  return (
    known !== undefined &&
    known.era === era &&
    BigInt(known.through.tx) <= BigInt(next) &&
    now >= known.from &&
    now < known.to &&
    now - known.askedAt < FORGOTTEN_AFTER * MINUTE
  );
}

const valuesOf = ({ era, tx, position }: EventPosition) => [era, tx, position];

function add(minutes: Known['minutes'], counts: readonly EventCount[]): void {
  for (const { minute, type, count } of counts) {
    const types = minutes.get(minute.getTime()) ?? new Map<RegisterEventType, number>();
    minutes.set(minute.getTime(), types.set(type, (types.get(type) ?? 0) + count));
  }
}

function forgetBefore(known: Known, first: number): void {
  known.from = Math.max(known.from, first);
  for (const minute of known.minutes.keys()) if (minute < first) known.minutes.delete(minute);
}

/** What is known together with the latest events, up to the present minute, in order. */
function told({ minutes }: Known, latest: readonly EventCount[], now: number): EventCount[] {
  const all: Known['minutes'] = new Map([...minutes].map(([minute, types]) => [minute, new Map(types)]));
  add(all, latest);
  return [...all]
    .filter(([minute]) => minute <= now)
    .toSorted(([one], [other]) => one - other)
    .flatMap(([minute, types]) =>
      [...types].toSorted().map(([type, count]) => ({ minute: new Date(minute), type, count })),
    );
}
