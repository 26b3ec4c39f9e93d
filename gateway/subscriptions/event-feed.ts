import { RegisterError } from '../../schema/register-error';
import type { EventLog } from './event-log';
import { type RecentEvents, recentEvents } from './recent-events';

/** Follows the log while somebody listens: one reader of it for all subscriptions of this gateway. */
export interface EventFeed {
  /** Begins to listen: from here on everything is told. `wake` is called when there may be something new. */
  join(wake: () => void): Promise<JoinedFeed>;
  close(): void;
}

/** The feed, as one listener sees it. */
export interface JoinedFeed {
  readonly recent: RecentEvents;
  /** The place in the log up to which {@link recent} has everything. */
  cursor(): string;
  /** Why there is nothing more to come: the place is none of the log any more, since the database lives another life. */
  lost(): RegisterError | undefined;
  /** Reads the log to its end as it is after this call. */
  refresh(): Promise<void>;
  leave(): void;
}

/** What the feed works with. */
export interface FeedParts {
  readonly log: EventLog;
  /** The log cannot be read any more: it is tried again and again, and only the first failure is told. */
  readonly onFailure: (error: unknown) => void;
}

/** Milliseconds between looks at the log, and after a look that failed. */
const INTERVAL = 100;
const INTERVAL_AFTER_FAILURE = 1_000;
/** Events read at once. */
const PAGE = 500;
/** Events kept for subscriptions that lag behind; who lags further reads the log again. */
const KEPT = 5_000;

/** A feed that reads nothing until somebody joins, and stops when the last has left. */
export function eventFeed(parts: FeedParts): EventFeed {
  let current: Following | undefined;
  let isClosed = false;
  return {
    async join(wake) {
      if (isClosed) throw new RegisterError('SYS002');
      const joined = (current = current?.isRunning ? current : new Following(parts));
      const leave = () => void joined.listeners.delete(wake);
      joined.listeners.add(wake);
      try {
        await joined.begun;
      } catch (error) {
        leave();
        throw error;
      }
      const { recent } = joined;
      return { recent, cursor: () => joined.cursor, lost: () => joined.lost, refresh: () => joined.refresh(), leave };
    },
    close() {
      isClosed = true;
      current?.listeners.clear();
    },
  };
}

/** One stretch of following the log, from the first listener to the last. */
class Following {
  readonly recent: RecentEvents = recentEvents(KEPT);
  readonly listeners = new Set<() => void>();
  cursor = '';
  isRunning = true;
  lost: RegisterError | undefined;
  /** Resolves when the place is known from which on it follows. */
  readonly begun: Promise<void>;
  private lastLook: Promise<unknown>;
  private isAway = false;

  constructor(private readonly parts: FeedParts) {
    this.begun = this.begin();
    this.lastLook = this.begun;
    this.begun.then(
      () => this.follow(),
      () => undefined, // whoever joined is told
    );
  }

  /** One look at a time, so that the events are told in their order. */
  private nextLook(): Promise<boolean> {
    const look = () => this.look();
    const next = this.lastLook.then(look, look);
    this.lastLook = next;
    return next;
  }

  async refresh(): Promise<void> {
    while (await this.nextLook());
  }

  private async begin(): Promise<void> {
    try {
      ({ cursor: this.cursor } = await this.parts.log.read(null, 1));
    } catch (error) {
      this.isRunning = false;
      throw error;
    }
  }

  private async follow(): Promise<void> {
    while (this.listeners.size > 0 && this.lost === undefined) {
      const milliseconds = await this.pauseAfter(this.nextLook());
      if (milliseconds > 0) await new Promise((resolve) => void setTimeout(resolve, milliseconds));
    }
    this.isRunning = false;
  }

  /** Answers whether there is more to be read at once. */
  private async look(): Promise<boolean> {
    const { cursor, entries } = await this.parts.log.read(this.cursor, PAGE);
    this.recent.append(entries);
    this.cursor = cursor;
    if (entries.length > 0) for (const wake of this.listeners) wake();
    return entries.length >= PAGE;
  }

  private pauseAfter(look: Promise<boolean>): Promise<number> {
    return look.then(
      (isMore) => {
        this.isAway = false;
        return isMore ? 0 : INTERVAL;
      },
      (error: unknown) => {
        if (isUnknownCursor(error)) return this.lose(error);
        if (!this.isAway) this.parts.onFailure(error);
        this.isAway = true;
        return INTERVAL_AFTER_FAILURE;
      },
    );
  }

  /** Everybody who listens is told; who joins from now on begins at a place that is one. */
  private lose(error: RegisterError): number {
    this.lost = error;
    this.isRunning = false;
    for (const wake of this.listeners) wake();
    return 0;
  }
}

/** Whether the log has no such place: trying again is of no use. */
export function isUnknownCursor(error: unknown): error is RegisterError {
  return error instanceof RegisterError && error.code === 'VAL001';
}
