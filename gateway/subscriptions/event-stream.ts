import type { FormattedExecutionResult } from 'graphql';
import { RegisterError } from '../../schema/register-error';
import { presented } from '../presentation';
import { isUnknownCursor } from './event-feed';
import type { LogEntry } from './event-log';
import type { EventReader } from './event-reader';
import type { EventAnswer } from './shared-answers';

/** What a subscription sends, taken by its connection when the one before has gone out: nothing is queued for a slow one. */
export interface EventStream extends AsyncIterableIterator<FormattedExecutionResult, undefined> {
  /** Ends at once, also while the next event is waited for. */
  return(): Promise<IteratorResult<FormattedExecutionResult, undefined>>;
  /** Ends it with an error that is told. */
  fail(fault: RegisterError): void;
  /** Milliseconds since the last answer was taken and has not gone out; 0 when none is on its way. */
  stalledFor(): number;
}

/** What a stream is made of. */
export interface StreamParts {
  readonly reader: EventReader;
  /** Answers an event, and if that must be executed, begins with those that come next. */
  readonly answerTo: (entry: LogEntry, upcoming: () => readonly LogEntry[]) => Promise<EventAnswer>;
  readonly onFailure: (error: unknown) => void;
  readonly onEnd: () => void;
}

/** Events whose answers are begun with that of the one before, so that a long selection does not make a stream slow. */
const AHEAD = 8;
/** Milliseconds until an answer is tried again of which a part of the register was away. */
const AGAIN_AFTER = 500;

type Step = IteratorResult<FormattedExecutionResult, undefined>;

/** Why a supplier is told nothing more: its account may go on, and the stream begin again after the last cursor once it is active. */
export const SUPPLIER_NOT_ACTIVE = 'The supplier is not active in the register.';

/** Not a failure to be told: it was, where it arose. */
const UNAVAILABLE = new Error('a part of the register is away');

/** A stream of answers. It is no async generator: the `return` of one waits for whatever the generator waits for. */
export function eventStream(parts: StreamParts): EventStream {
  return new Stream(parts);
}

class Stream implements EventStream {
  private isEnded = false;
  private fault: RegisterError | undefined;
  private takenAt: number | undefined;

  constructor(private readonly parts: StreamParts) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    this.takenAt = undefined;
    const value = (await this.nextAnswer()) ?? this.lastWord();
    if (value === undefined) return { done: true, value };
    this.takenAt = performance.now();
    return { done: false, value };
  }

  return(): Promise<Step> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  fail(fault: RegisterError): void {
    this.fault = fault;
    this.end();
  }

  stalledFor(): number {
    return this.takenAt === undefined ? 0 : performance.now() - this.takenAt;
  }

  private end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.parts.reader.close();
    this.parts.onEnd();
  }

  private async nextAnswer(): Promise<FormattedExecutionResult | undefined> {
    const { reader } = this.parts;
    while (!this.isEnded) {
      const entry = await this.patiently(() => reader.next());
      const answer = entry && (await this.patiently(() => this.answerTo(entry)));
      if (this.isEnded) return undefined;
      if (answer?.kind === 'answer') return answer.result;
      if (answer?.kind === 'refused') this.fail(new RegisterError('PRM001', SUPPLIER_NOT_ACTIVE));
    }
    return undefined;
  }

  private async answerTo(entry: LogEntry): Promise<EventAnswer> {
    const answer = await this.parts.answerTo(entry, () => this.parts.reader.upcoming(AHEAD));
    if (answer.kind === 'unavailable') throw UNAVAILABLE;
    return answer;
  }

  /** Tries again until it succeeds or the stream has ended: an event is never left out because something was away. */
  private async patiently<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    while (!this.isEnded) {
      try {
        return await work();
      } catch (error) {
        if (isUnknownCursor(error)) return void this.fail(error);
        if (error !== UNAVAILABLE) this.parts.onFailure(error);
        await new Promise((resolve) => void setTimeout(resolve, AGAIN_AFTER));
      }
    }
    return undefined;
  }

  /** Why it ended, told once. */
  private lastWord(): FormattedExecutionResult | undefined {
    const { fault } = this;
    this.fault = undefined;
    return fault && { data: null, errors: [presented(fault)] };
  }
}
