import { RegisterError } from '../../../schema/register-error';
import type { CallContext } from '../../server/callers/caller';
import { rateLimit, withinLimit } from '../../server/callers/rate-limits';
import { clientNetwork } from '../../server/callers/resource-owner';
import type { IdentityDependencies } from '../dependencies';

/** Passkey sign-ins that a network may start per sign-in that it may request: starting one costs only a row. */
const STARTS_PER_SIGN_IN = 6;

/** Limits of sign-ins per client network and minute, shared by all methods and replicas. */
export interface SignInLimit {
  /** Counts a request that causes a mail or a redirect to a supplier. */
  request(context: CallContext): Promise<void>;
  /** Counts the start of a passkey sign-in, under a higher limit of its own, because it only inserts a row. */
  start(context: CallContext): Promise<void>;
  /**
   * Runs a proof of identity. Failures (AUT001) have a limit of their own, beyond which they are LIM002. A valid proof is admitted beyond it,
   * because customers share networks and secrets of 256 bits cannot be guessed. An invalid secret costs an indexed read; a signature or a
   * request to a supplier is checked once for each attempt, the start of which was counted.
   */
  proof<Result>(context: CallContext, prove: () => Promise<Result>): Promise<Result>;
}

/** Limits over the counters of `identity`. They throw LIM002 with the seconds to wait. */
export function signInLimit({ rateLimits, limits }: Pick<IdentityDependencies, 'rateLimits' | 'limits'>): SignInLimit {
  const requests = rateLimit(rateLimits, 'sign-ins', limits.signIns, 60);
  const failures = rateLimit(rateLimits, 'failed-proofs', limits.signIns, 60);
  const starts = rateLimit(rateLimits, 'passkey-starts', STARTS_PER_SIGN_IN * limits.signIns, 60);
  return {
    request: ({ clientAddress }) => withinLimit(requests, clientNetwork(clientAddress)),
    start: ({ clientAddress }) => withinLimit(starts, clientNetwork(clientAddress)),
    async proof({ clientAddress }, prove) {
      try {
        return await prove();
      } catch (error) {
        if (error instanceof RegisterError && error.code === 'AUT001')
          await withinLimit(failures, clientNetwork(clientAddress));
        throw error;
      }
    },
  };
}
