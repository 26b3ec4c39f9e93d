import { RegisterError } from '../../schema/register-error';
import { type FairLimit, MAX_WAIT_MS, fairLimit } from '../../subgraphs/server/fair-limit';

/** Limits of the operations that one owner runs at the same time. */
export interface ConcurrentOperations {
  /** Trusted documents, verification excepted. */
  readonly trusted: FairLimit;
  /** Operations with the client's own document; each may execute many statements. */
  readonly adHoc: FairLimit;
}

/** Far fewer than the requests that a link to a service takes, and enough for the statements of a pool. */
const MAX_TRUSTED = 64;
/** Fewer than the default connections of a pool (DATABASE_POOL). */
export const MAX_AD_HOC = 8;
/** Waiting operations of an owner for each that is executed. They occupy memory: a body has up to 2 MiB. */
const WAITING_FOR_EACH = 8;

/**
 * Returns the limits of this gateway. The owner whose operations wait for too long, or are too many, gets LIM002; operations of others do not
 * wait for them.
 */
export function concurrentOperations(): ConcurrentOperations {
  return { trusted: ofOwner(MAX_TRUSTED), adHoc: ofOwner(MAX_AD_HOC) };
}

function ofOwner(maxOfOwner: number): FairLimit {
  const message = `At most ${maxOfOwner} operations of an account, or of a client network without one, run at the same time.`;
  return fairLimit({
    max: Infinity,
    maxOfOwner,
    maxWaitMs: MAX_WAIT_MS,
    maxWaitingOfOwner: maxOfOwner * WAITING_FOR_EACH,
    exceeded: () => new RegisterError('LIM002', message, { retryAfter: 1 }),
  });
}
