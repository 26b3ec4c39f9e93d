import { RegisterError } from '../../schema/register-error';
import { ALL_EVENTS, type EventLog } from './event-log';
import { type RecentEvents, recentEvents } from './recent-events';

/** Follows the log while it has listeners. All subscriptions of this gateway share one feed per log. */
export interface EventFeed {
  /** Adds a listener: from now on the feed reads every event. Calls `notify` when new events or a failure may exist. */
  join(notify: () => void): Promise<JoinedFeed>;
  close(): void;
}

/** The feed as one listener uses it. */
export interface JoinedFeed {
  readonly recent: RecentEvents;
  /** Cursor up to which {@link recent} is complete. */
  cursor(): string;
  /**
   * The error that ended the feed: the log rejects the cursor (VAL001), because the database was restored, rewound or
   * failed over.
   */
  failure(): RegisterError | undefined;
  /** Reads the log up to its end at the time of this call or later. */
  refresh(): Promise<void>;
  leave(): void;
}

/** Dependencies of the feed. */
interface FeedDependencies {
  readonly log: EventLog;
  /** Called for the first failure of an outage only; the feed retries. */
  readonly onFailure: (error: unknown) => void;
}

/** Interval between polls of the log, and after a failed poll. */
const POLL_INTERVAL_MS = 100;
const RETRY_INTERVAL_MS = 1_000;
/** Maximum number of events per read. */
const PAGE_SIZE = 500;
/** Events retained for slow subscriptions; a subscription further behind reads the log itself. */
const MIN_RECENT_EVENTS = 5_000;

/** Returns a feed that polls the log only while it has listeners. */
export function eventFeed(dependencies: FeedDependencies): EventFeed {
  let current: LogFollower | undefined;
  let isClosed = false;
  return {
    async join(notify) {
      if (isClosed) throw new RegisterError('SYS002');
      const joined = (current = current?.isRunning ? current : new LogFollower(dependencies));
      const leave = () => void joined.listeners.delete(notify);
      joined.listeners.add(notify);
      try {
        await joined.started;
      } catch (error) {
        leave();
        throw error;
      }
      const { recent } = joined;
      return {
        recent,
        cursor: () => joined.cursor,
        failure: () => joined.failure,
        refresh: () => joined.refresh(),
        leave,
      };
    },
    close() {
      isClosed = true;
      current?.listeners.clear();
    },
  };
}

/** Follows the log from the first listener to the last. */
class LogFollower {
  readonly recent: RecentEvents = recentEvents(MIN_RECENT_EVENTS);
  readonly listeners = new Set<() => void>();
  cursor = '';
  isRunning = true;
  failure: RegisterError | undefined;
  /** Resolves when the start cursor is known. */
  readonly started: Promise<void>;
  private lastPoll: Promise<unknown>;
  private isUnavailable = false;

  constructor(private readonly dependencies: FeedDependencies) {
    this.started = this.start();
    this.lastPoll = this.started;
    this.started.then(
      () => this.follow(),
      () => undefined, // `join` throws the error
    );
  }

  /** Polls run one at a time, so that events stay in order. */
  private nextPoll(): Promise<boolean> {
    const poll = () => this.poll();
    const next = this.lastPoll.then(poll, poll);
    this.lastPoll = next;
    return next;
  }

  async refresh(): Promise<void> {
    while (await this.nextPoll());
  }

  private async start(): Promise<void> {
    try {
      ({ cursor: this.cursor } = await this.dependencies.log.read(null, 1, ALL_EVENTS));
    } catch (error) {
      this.isRunning = false;
      throw error;
    }
  }

  private async follow(): Promise<void> {
    while (this.listeners.size > 0 && this.failure === undefined) {
      const milliseconds = await this.pauseAfter(this.nextPoll());
      if (milliseconds > 0) await new Promise((resolve) => void setTimeout(resolve, milliseconds));
    }
    this.isRunning = false;
  }

  /** Returns true if more events can be read at once. */
  private async poll(): Promise<boolean> {
    const { cursor, entries } = await this.dependencies.log.read(this.cursor, PAGE_SIZE, ALL_EVENTS);
    this.recent.append(entries);
    this.cursor = cursor;
    if (entries.length > 0) for (const notify of this.listeners) notify();
    return entries.length >= PAGE_SIZE;
  }

  private pauseAfter(poll: Promise<boolean>): Promise<number> {
    return poll.then(
      (isMore) => {
        this.isUnavailable = false;
        return isMore ? 0 : POLL_INTERVAL_MS;
      },
      (error: unknown) => {
        if (isUnknownCursor(error)) return this.endWith(error);
        if (!this.isUnavailable) this.dependencies.onFailure(error);
        this.isUnavailable = true;
        return RETRY_INTERVAL_MS;
      },
    );
  }

  /** Ends the feed and notifies all listeners. The next listener starts a new feed at the log's current end. */
  private endWith(error: RegisterError): number {
    this.failure = error;
    this.isRunning = false;
    for (const notify of this.listeners) notify();
    return 0;
  }
}

/** Returns true if the log rejects the cursor; retrying is then useless. */
export function isUnknownCursor(error: unknown): error is RegisterError {
  return error instanceof RegisterError && error.code === 'VAL001';
}
