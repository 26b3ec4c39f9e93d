import { RegisterError } from '../../../schema/register-error';
import type { CallContext } from '../../server/caller';
import { clientNetwork, rateLimit, refuseLimited, withinLimit } from '../../server/rate-limits';
import type { Foundation } from '../foundation';

/** How many sign-ins by passkey a network may start for each that it may ask for otherwise: starting one costs nobody anything. */
const STARTS_PER_SIGN_IN = 6;

/** How often a network may ask for a sign-in, or fail at one, in a minute: shared by all ways to sign in and by all replicas. */
export interface SignInLimit {
  /** Counts a request that costs somebody else something: a mail, a visit of the supplier. */
  request(context: CallContext): Promise<void>;
  /** Counts the start of a sign-in by passkey, on a generous limit of its own: it leaves a row behind, no more. */
  start(context: CallContext): Promise<void>;
  /** Lets somebody prove who they are; a failure (AUT001) is counted. */
  proof<Result>(context: CallContext, prove: () => Promise<Result>): Promise<Result>;
}

/** The limit over the counters of `identity` (LIM002 with the seconds to wait). */
export function signInLimit({ rateLimits, limits }: Pick<Foundation, 'rateLimits' | 'limits'>): SignInLimit {
  const limit = rateLimit(rateLimits, 'sign-ins', limits.signIns, 60);
  const starts = rateLimit(rateLimits, 'passkey-starts', STARTS_PER_SIGN_IN * limits.signIns, 60);
  return {
    request: ({ clientAddress }) => withinLimit(limit, clientNetwork(clientAddress)),
    start: ({ clientAddress }) => withinLimit(starts, clientNetwork(clientAddress)),
    async proof({ clientAddress }, prove) {
      const network = clientNetwork(clientAddress);
      refuseLimited(await limit.passed(network));
      try {
        return await prove();
      } catch (error) {
        if (error instanceof RegisterError && error.code === 'AUT001') await withinLimit(limit, network);
        throw error;
      }
    },
  };
}
