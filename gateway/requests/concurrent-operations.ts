import { RegisterError } from '../../schema/register-error';
import { type FairLimit, MAX_WAIT_MS, fairLimit } from '../../subgraphs/server/fair-limit';

/** Limits of the operations that one owner runs at the same time. */
export interface ConcurrentOperations {
  /** Trusted documents, verification excepted. */
  readonly trusted: FairLimit;
  /** Verifications. They have no limit of their own, but one owner must not occupy the link to the service, without which others fail at once. */
  readonly verification: FairLimit;
  /** Operations with the client's own document; each may execute many statements. */
  readonly adHoc: FairLimit;
}

/** A quarter of the requests that a link to a service takes, and more than what keeps a service busy. */
const MAX_VERIFICATIONS = 128;
/** Far fewer than the requests that a link to a service takes, and enough for the statements of a pool. */
const MAX_TRUSTED = 64;
/** Fewer than the default connections of a pool (DATABASE_POOL). */
export const MAX_AD_HOC = 8;
/** Waiting operations of an owner for each that is executed. They occupy memory: a body has up to 2 MiB. */
const WAITING_FOR_EACH = 8;

/**
 * Returns the limits of this gateway. The owner whose operations wait for too long, or are too many, gets LIM002, or SYS002 for verifications;
 * operations of others do not wait for them.
 */
export function concurrentOperations(): ConcurrentOperations {
  return {
    trusted: ofOwner(MAX_TRUSTED, tooMany(MAX_TRUSTED)),
    verification: ofOwner(MAX_VERIFICATIONS, () => new RegisterError('SYS002')),
    adHoc: ofOwner(MAX_AD_HOC, tooMany(MAX_AD_HOC)),
  };
}

function ofOwner(maxOfOwner: number, exceeded: () => RegisterError): FairLimit {
  const maxWaitingOfOwner = maxOfOwner * WAITING_FOR_EACH;
  return fairLimit({ max: Infinity, maxOfOwner, maxWaitMs: MAX_WAIT_MS, maxWaitingOfOwner, exceeded });
}

function tooMany(max: number): () => RegisterError {
  const message = `At most ${max} operations of an account, or of a client network without one, run at the same time.`;
  return () => new RegisterError('LIM002', message, { retryAfter: 1 });
}
