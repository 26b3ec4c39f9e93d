import type { EventFeed, JoinedFeed } from './event-feed';
import type { EventLog, LogEntry } from './event-log';

/** A subscription's own way along the log: first what was missed, then what comes, without a gap and nothing twice. */
export interface EventReader {
  /**
   * The next event that the subscription is for; undefined when the reader was closed. After a failure it can be asked again,
   * unless its place is lost (VAL001).
   */
  next(): Promise<LogEntry | undefined>;
  /** Some of those that come after it, as far as they are at hand. */
  upcoming(most: number): LogEntry[];
  close(): void;
}

/** What a reader is opened with. */
export interface ReaderParts {
  readonly feed: EventFeed;
  readonly log: EventLog;
  /** Whether the subscription is for an event. */
  readonly isFor: (entry: LogEntry) => boolean;
  /** The place after which it begins; null for what happens from now on. */
  readonly after: string | null;
}

/** Events read at once when a subscription catches up. */
const PAGE = 500;

/** Opens a reader; throws when the place is none. */
export async function openReader({ feed, log, isFor, after }: ReaderParts): Promise<EventReader> {
  const news = new News();
  const joined = await feed.join(() => news.tell());
  const reader = new Reader(joined, log, isFor, news);
  try {
    if (after !== null) await reader.catchUpAfter(after);
    return reader;
  } catch (error) {
    reader.close();
    throw error;
  }
}

/** Lets one reader wait until it is told that there may be something new. */
class News {
  private waiting: (() => void) | undefined;

  tell(): void {
    this.waiting?.();
    this.waiting = undefined;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting = resolve;
    });
  }
}

/** A part of the log that a reader fetched for itself, since it is behind the feed. */
interface MissedEvents {
  /** What is left of it. */
  readonly left: LogEntry[];
  /** It reached the end of the log as it was then. */
  readonly reachedEnd: boolean;
  /** Every recent event with a smaller number was there to be read. */
  readonly before: number;
}

class Reader implements EventReader {
  private isClosed = false;
  /** Undefined when the reader is up to date: then it takes the recent event of `number` next. */
  private missed: MissedEvents | undefined;
  private number: number;
  /** The place in the log to which the reader has come. */
  private cursor: string;

  constructor(
    private readonly joined: JoinedFeed,
    private readonly log: EventLog,
    private readonly isFor: (entry: LogEntry) => boolean,
    private readonly news: News,
  ) {
    this.number = joined.recent.end();
    this.cursor = joined.cursor();
  }

  async catchUpAfter(cursor: string): Promise<void> {
    const before = this.joined.recent.end();
    const { entries } = await this.log.read(cursor, PAGE);
    this.cursor = cursor;
    this.missed = { left: [...entries], reachedEnd: entries.length < PAGE, before };
  }

  async next(): Promise<LogEntry | undefined> {
    while (!this.isClosed) {
      const lost = this.joined.lost();
      if (lost) throw lost;
      const entry = this.missed ? this.missed.left.shift() : this.nextRecent();
      if (entry) {
        this.cursor = entry.cursor;
        if (this.isFor(entry)) return entry;
      } else if (this.missed) await this.goOn(this.missed);
      else if (this.number < this.joined.recent.first()) await this.catchUpAfter(this.cursor);
      else await this.news.wait();
    }
    return undefined;
  }

  upcoming(most: number): LogEntry[] {
    if (this.missed) return this.missed.left.slice(0, most).filter(this.isFor);
    const numbers = Array.from({ length: most }, (_, index) => this.number + index);
    return numbers.flatMap((number) => this.joined.recent.at(number) ?? []).filter(this.isFor);
  }

  close(): void {
    this.isClosed = true;
    this.joined.leave();
    this.news.tell();
  }

  private nextRecent(): LogEntry | undefined {
    const entry = this.joined.recent.at(this.number);
    if (entry) this.number += 1;
    return entry;
  }

  /**
   * Goes over to the recent events where they continue what was read: after the event read last, if it is one of them. If it
   * is none, although the feed has looked again since, everything read is older than what the feed found after that.
   */
  private async goOn({ reachedEnd, before }: MissedEvents): Promise<void> {
    const { recent } = this.joined;
    if (reachedEnd) await this.joined.refresh();
    const known = recent.numberOf(this.cursor);
    if (known === undefined && !(reachedEnd && before >= recent.first())) return this.catchUpAfter(this.cursor);
    this.number = known === undefined ? before : known + 1;
    this.missed = undefined;
  }
}
