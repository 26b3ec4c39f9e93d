import type { CallContext } from '../server/caller';
import { type RateLimit, clientNetwork, withinLimit } from '../server/rate-limits';

/**
 * Counts a question of somebody without an account by their network, LIM002 beyond the limit (3-decisions-c-d.md, C.1). Accounts are
 * counted as such, at every request.
 */
export async function withinNetworkLimit(limit: RateLimit, { caller, clientAddress }: CallContext): Promise<void> {
  if (caller === null) await withinLimit(limit, clientNetwork(clientAddress));
}
