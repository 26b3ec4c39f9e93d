import type { Logger } from 'pino';
import { failureFacts } from '../server/failures';
import { logFault } from '../server/fault-log';
import type { CountedVerifications } from './database/looks';

/** Counts who verified which record, beside the answers (2-decisions-a-b.md, section 10). */
export interface VerificationLooks {
  /** Counts one; `accountId` is that of a valid bearer token, null for a holder of the key who is not identified. */
  verified(recordId: string, accountId: string | null): void;
  /** Writes what is still to be written. */
  close(): Promise<void>;
}

/** Milliseconds from a verification to the writing of it and all that followed: with the writing less than a second. */
const WRITE_AFTER = 800;
/** The same, after the database refused. */
const WRITE_AGAIN_AFTER = 5_000;
/** Pairs of record and caller that are counted at once, some 15 MB; more wait for nobody and are lost. */
const MOST_COUNTERS = 50_000;
/** Counters in one statement: between two of them requests are answered. */
const WRITE_AT_ONCE = 1_000;
const UUID_LENGTH = 36;

type Write = (verifications: readonly CountedVerifications[]) => Promise<void>;

/** Counters in memory, which `write` adds to those of the database, some at a time. */
export function verificationLooks(write: Write, logger: Logger): VerificationLooks {
  return new Counters(write, logger);
}

class Counters implements VerificationLooks {
  private counts = new Map<string, number>();
  private lost = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly write: Write,
    private readonly logger: Logger,
  ) {}

  verified(recordId: string, accountId: string | null): void {
    this.add(recordId + (accountId ?? ''), 1);
    this.timer ??= this.writeIn(WRITE_AFTER);
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.writing;
    clearTimeout(this.timer);
    await this.writeAll();
    clearTimeout(this.timer);
  }

  private add(pair: string, more: number): void {
    const count = this.counts.get(pair);
    if (count === undefined && this.counts.size >= MOST_COUNTERS) this.lost += more;
    else this.counts.set(pair, (count ?? 0) + more);
  }

  private writeIn(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => void (this.writing = this.writeAll()), milliseconds).unref();
  }

  /** One at a time: the timer is set anew only when this is over. */
  private async writeAll(): Promise<void> {
    const waiting = [...this.counts];
    this.counts = new Map();
    let next: number | undefined;
    try {
      for (; waiting.length > 0; waiting.splice(0, WRITE_AT_ONCE)) {
        await this.write(waiting.slice(0, WRITE_AT_ONCE).map(verificationsOf));
      }
    } catch (error) {
      logFault(this.logger, 'error', error, { failure: failureFacts(error) }, 'verifications could not be counted yet');
      for (const [pair, count] of waiting) this.add(pair, count);
      next = WRITE_AGAIN_AFTER;
    }
    if (this.lost > 0) this.logger.error({ lost: this.lost }, 'verifications were not counted');
    this.lost = 0;
    this.timer = this.counts.size > 0 ? this.writeIn(next ?? WRITE_AFTER) : undefined;
  }
}

function verificationsOf([pair, count]: readonly [string, number]): CountedVerifications {
  return { recordId: pair.slice(0, UUID_LENGTH), accountId: pair.slice(UUID_LENGTH), count };
}
