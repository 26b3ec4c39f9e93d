import type { Logger } from 'pino';
import { errorFields } from '../../server/observability/failures';
import { logError } from '../../server/observability/error-log';
import type { CountedVerifications } from './lookup-counts.repository';

/** Counts verifications of records in the background, so that verification does not wait for a write (decisions A/B, 10). */
export interface VerificationCounter {
  /** Counts a verification; `accountId` is the account of a valid bearer token, else null. */
  verified(recordId: string, accountId: string | null): void;
  /** Writes all counts that are not yet stored. */
  close(): Promise<void>;
}

/** Milliseconds between the first verification and the write of all counts since: a count is stored within a second. */
const WRITE_DELAY_MS = 800;
/** Milliseconds until the next write after a failed one. */
const RETRY_DELAY_MS = 5_000;
/** Bound on the pairs of record and caller in memory, some 15 MB. Verifications of further pairs are not counted. */
const MAX_COUNTERS = 50_000;
/** Counters of one statement. Requests are processed between two statements. */
const MAX_BATCH_SIZE = 1_000;
const UUID_LENGTH = 36;

type Write = (verifications: readonly CountedVerifications[]) => Promise<void>;

/** Counters in memory; `write` adds them to the counters of the database, a batch at a time. */
export function verificationCounter(write: Write, logger: Logger): VerificationCounter {
  return new Counters(write, logger);
}

class Counters implements VerificationCounter {
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
    this.timer ??= this.writeIn(WRITE_DELAY_MS);
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
    if (count === undefined && this.counts.size >= MAX_COUNTERS) this.lost += more;
    else this.counts.set(pair, (count ?? 0) + more);
  }

  private writeIn(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => void (this.writing = this.writeAll()), milliseconds).unref();
  }

  /** Writes never overlap: the timer is set again only when one has ended. */
  private async writeAll(): Promise<void> {
    const waiting = [...this.counts];
    this.counts = new Map();
    let next: number | undefined;
    try {
      for (; waiting.length > 0; waiting.splice(0, MAX_BATCH_SIZE)) {
        await this.write(waiting.slice(0, MAX_BATCH_SIZE).map(verificationsOf));
      }
    } catch (error) {
      logError(
        this.logger,
        'error',
        error,
        { failure: errorFields(error) },
        'counting of verifications failed; it is retried',
      );
      for (const [pair, count] of waiting) this.add(pair, count);
      next = RETRY_DELAY_MS;
    }
    if (this.lost > 0) this.logger.error({ lost: this.lost }, 'verifications not counted: too many counters');
    this.lost = 0;
    this.timer = this.counts.size > 0 ? this.writeIn(next ?? WRITE_DELAY_MS) : undefined;
  }
}

function verificationsOf([pair, count]: readonly [string, number]): CountedVerifications {
  return { recordId: pair.slice(0, UUID_LENGTH), accountId: pair.slice(UUID_LENGTH), count };
}
