import type { EventFeed, JoinedFeed } from './event-feed';
import { type EventLog, type LogEntry, type LogFilter, isSelectedBy } from './event-log';

/**
 * Position of one subscription in the log. It reads missed events first, then recent ones, without gaps or duplicates.
 */
export interface EventReader {
  /**
   * Returns the next event of the subscription, or undefined when the reader is closed. After a failure the call can be
   * repeated, except after VAL001 (the log rejects the cursor).
   */
  next(): Promise<LogEntry | undefined>;
  /** Returns matching events among the next `max` that are in memory. */
  upcoming(max: number): LogEntry[];
  close(): void;
}

/** Feed, log, filter and start cursor of a reader. */
interface ReaderOptions {
  readonly feed: EventFeed;
  readonly log: EventLog;
  /** Selects the events that the subscription receives. */
  readonly filter: LogFilter;
  /** Cursor after which the subscription starts; null for new events only. */
  readonly after: string | null;
}

/** Maximum number of events per read while a subscription catches up. */
const PAGE_SIZE = 500;

/** Opens a reader; throws VAL001 if the log rejects the cursor. */
export async function openReader({ feed, log, filter, after }: ReaderOptions): Promise<EventReader> {
  const signal = new Signal();
  const joined = await feed.join(() => signal.notify());
  const reader = new Reader(joined, log, filter, signal);
  try {
    if (after !== null) await reader.catchUpAfter(after);
    return reader;
  } catch (error) {
    reader.close();
    throw error;
  }
}

/** Lets one reader wait for the next notification of the feed. */
class Signal {
  private waiting: (() => void) | undefined;

  notify(): void {
    this.waiting?.();
    this.waiting = undefined;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting = resolve;
    });
  }
}

/** Events of the subscription that a reader behind the feed read from the log itself. */
interface MissedEvents {
  /** Events not returned yet. */
  readonly remaining: LogEntry[];
  /** True if the read reached the end of the log. */
  readonly reachedEnd: boolean;
  /** The feed's next event number when the read started. A read to the end of the log covers every event below it. */
  readonly feedEnd: number;
}

class Reader implements EventReader {
  private isClosed = false;
  /** Undefined if the reader is up to date; then it returns recent event `number` next. */
  private missed: MissedEvents | undefined;
  private number: number;
  /** Cursor of the last event read. */
  private cursor: string;
  private readonly isFor: (entry: LogEntry) => boolean;

  constructor(
    private readonly joined: JoinedFeed,
    private readonly log: EventLog,
    private readonly filter: LogFilter,
    private readonly signal: Signal,
  ) {
    this.number = joined.recent.end();
    this.cursor = joined.cursor();
    this.isFor = isSelectedBy(filter);
  }

  async catchUpAfter(cursor: string): Promise<void> {
    const feedEnd = this.joined.recent.end();
    const { entries } = await this.log.read(cursor, PAGE_SIZE, this.filter);
    this.cursor = cursor;
    this.missed = { remaining: [...entries], reachedEnd: entries.length < PAGE_SIZE, feedEnd };
  }

  async next(): Promise<LogEntry | undefined> {
    while (!this.isClosed) {
      const failure = this.joined.failure();
      if (failure) throw failure;
      const entry = this.missed ? this.missed.remaining.shift() : this.nextRecent();
      if (entry) {
        this.cursor = entry.cursor;
        if (this.isFor(entry)) return entry;
      } else if (this.missed) await this.continueAfter(this.missed);
      else if (this.number < this.joined.recent.first()) await this.catchUpAfter(this.cursor);
      else await this.signal.wait();
    }
    return undefined;
  }

  upcoming(max: number): LogEntry[] {
    if (this.missed) return this.missed.remaining.slice(0, max).filter(this.isFor);
    const numbers = Array.from({ length: max }, (_, index) => this.number + index);
    return numbers.flatMap((number) => this.joined.recent.at(number) ?? []).filter(this.isFor);
  }

  close(): void {
    this.isClosed = true;
    this.joined.leave();
    this.signal.notify();
  }

  private nextRecent(): LogEntry | undefined {
    const entry = this.joined.recent.at(this.number);
    if (entry) this.number += 1;
    return entry;
  }

  /**
   * Switches to the recent events after the last event read. If that event is not retained, continues at recent event
   * `feedEnd`, which every event read precedes, provided that the read reached the end of the log and no recent event
   * from `feedEnd` on was dropped; otherwise reads the log again.
   */
  private async continueAfter({ reachedEnd, feedEnd }: MissedEvents): Promise<void> {
    const { recent } = this.joined;
    if (reachedEnd) await this.joined.refresh();
    const recentNumber = recent.numberOf(this.cursor);
    if (recentNumber === undefined && !(reachedEnd && feedEnd >= recent.first())) return this.catchUpAfter(this.cursor);
    this.number = recentNumber === undefined ? feedEnd : recentNumber + 1;
    this.missed = undefined;
  }
}
