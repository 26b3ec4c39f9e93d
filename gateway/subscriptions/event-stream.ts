import { RegisterError } from '../../schema/register-error';
import { type JsonText, jsonBody, writtenText } from '../../subgraphs/server/graph/json-text';
import { formatError } from '../requests/error-format';
import { isUnknownCursor } from './event-feed';
import type { LogEntry } from './event-log';
import type { EventReader } from './event-reader';
import type { ResultOf } from './event-results';
import type { EventResult } from './shared-results';

/**
 * Results of a subscription. Its connection takes the next one when the previous one has been sent, so that no queue
 * grows for a slow client.
 */
export interface EventStream extends AsyncIterableIterator<JsonText, undefined> {
  /** Ends the stream at once, also while it waits for an event or its result. */
  return(): Promise<IteratorResult<JsonText, undefined>>;
  /** Ends the stream with an error as its last result. */
  fail(failure: RegisterError): void;
  /** Milliseconds since the last result was taken and not yet sent; 0 when none is pending. */
  stalledMs(): number;
}

/** Dependencies of a stream. */
export interface StreamDependencies {
  readonly reader: EventReader;
  readonly resultOf: ResultOf;
  readonly onFailure: (error: unknown) => void;
  readonly onEnd: () => void;
}

/** Upcoming events requested together with the current one, so that slow selections do not slow the stream down. */
const PREFETCHED_EVENTS = 8;
/** Delay before an event is retried. */
const RETRY_DELAY_MS = 500;
/** Time for which an event is retried, longer than a restart or a failover takes: after it, its selection never completes. */
const MAX_RETRY_MS = 300_000;

type Step = IteratorResult<JsonText, undefined>;

/**
 * Message when a supplier loses access to events. The account stays connected and may subscribe again after its last
 * cursor.
 */
export const SUPPLIER_NOT_ACTIVE = 'The supplier is not active in the register.';

/** Not reported again: the failure was logged where it occurred. */
const UNAVAILABLE = new Error('a service of the register is unavailable');

/** Creates a stream. An async generator would not do: its `return` waits for the pending `next`. */
export function eventStream(dependencies: StreamDependencies): EventStream {
  return new Stream(dependencies);
}

class Stream implements EventStream {
  private isEnded = false;
  private failure: RegisterError | undefined;
  private takenAt: number | undefined;
  /** Ends the wait for the next result. */
  private stopWaiting: (() => void) | undefined;
  /** When the current event failed first. */
  private failedAt: number | undefined;

  constructor(private readonly dependencies: StreamDependencies) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    this.takenAt = undefined;
    const value = (await this.untilEnd(this.nextResult())) ?? this.finalError();
    if (value === undefined) return { done: true, value };
    this.takenAt = performance.now();
    return { done: false, value };
  }

  return(): Promise<Step> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  fail(failure: RegisterError): void {
    this.failure = failure;
    this.end();
  }

  stalledMs(): number {
    return this.takenAt === undefined ? 0 : performance.now() - this.takenAt;
  }

  private end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.dependencies.reader.close();
    this.dependencies.onEnd();
    this.stopWaiting?.();
  }

  /** Returns the result of `work`, or undefined as soon as the stream ends. */
  private untilEnd(work: Promise<JsonText | undefined>): Promise<JsonText | undefined> {
    return new Promise((resolve, reject) => {
      this.stopWaiting = () => resolve(undefined);
      work.then(resolve, reject);
    });
  }

  private async nextResult(): Promise<JsonText | undefined> {
    const { reader } = this.dependencies;
    while (!this.isEnded) {
      const entry = await this.retried(() => reader.next());
      this.failedAt = undefined;
      const result = entry && (await this.retried((isRetry) => this.resultOf(entry, isRetry)));
      if (this.isEnded) return undefined;
      if (result?.kind === 'result') return result.result;
      if (result?.kind === 'rejected') this.fail(new RegisterError('PRM001', SUPPLIER_NOT_ACTIVE));
    }
    return undefined;
  }

  private async resultOf(entry: LogEntry, isRetry: boolean): Promise<EventResult> {
    const { reader, resultOf } = this.dependencies;
    const result = await resultOf(entry, {
      isRetry,
      isWanted: () => !this.isEnded,
      upcoming: () => reader.upcoming(PREFETCHED_EVENTS),
    });
    if (result.kind !== 'unavailable') return result;
    this.failedAt ??= performance.now();
    if (performance.now() - this.failedAt < MAX_RETRY_MS) throw UNAVAILABLE;
    this.fail(new RegisterError('SYS002'));
    return result;
  }

  /**
   * Retries `work` until it succeeds or the stream ends, so that an outage omits no event. Ends the stream if the log
   * rejects the cursor.
   */
  private async retried<Result>(work: (isRetry: boolean) => Promise<Result>): Promise<Result | undefined> {
    for (let isRetry = false; !this.isEnded; isRetry = true) {
      try {
        return await work(isRetry);
      } catch (error) {
        if (isUnknownCursor(error)) return void this.fail(error);
        if (error !== UNAVAILABLE) this.dependencies.onFailure(error);
        await new Promise((resolve) => void setTimeout(resolve, RETRY_DELAY_MS));
      }
    }
    return undefined;
  }

  /** Returns the error that ended the stream, once. */
  private finalError(): JsonText | undefined {
    const { failure } = this;
    this.failure = undefined;
    return failure && writtenText(jsonBody({ data: null, errors: [formatError(failure)] }));
  }
}
