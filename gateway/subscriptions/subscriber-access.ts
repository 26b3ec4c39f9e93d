import { isErrorCode } from '../../schema/error-catalogue';
import { RegisterError } from '../../schema/register-error';
import type { CallContext, Caller } from '../../subgraphs/server/callers/caller';
import type { SubgraphLink } from '../../subgraphs/server/graph/subgraph-link';
import type { Identification } from '../callers/authentication';
import type { ConnectionEnd } from './connection-end';
import type { LogFilter } from './event-log';
import type { EventStreamKind, StreamArguments } from './event-stream-kinds';
import type { SessionRevalidator } from './session-revalidator';

/** Roles that receive all events. Other roles receive those of their Data User or supplier. */
const UNRESTRICTED_ROLES: ReadonlySet<string> = new Set(['admin', 'analyst']);

/**
 * Returns the filter of a subscription. Throws PRM002 if it requests the events of another owner. The graph checks each
 * event again.
 */
export function filterFor(caller: Caller, kind: EventStreamKind, { types, owner }: StreamArguments): LogFilter {
  const isUnrestricted = UNRESTRICTED_ROLES.has(caller.role);
  const requested = isUnrestricted ? owner : kind.ownerOf(caller);
  if (!isUnrestricted && (requested === null || (owner !== null && owner !== requested)))
    throw new RegisterError('PRM002');
  return { owner: requested, types };
}

/** Throws the subgraph's error if the caller may receive no events now. */
export async function requireAdmission(
  { subgraph, admission }: EventStreamKind,
  context: CallContext,
  links: ReadonlyMap<string, SubgraphLink>,
): Promise<void> {
  if (admission === undefined) return;
  const result = await links.get(subgraph)?.execute({ query: admission, fixed: true }, context);
  const [error] = result?.errors ?? [];
  const code = error?.extensions['code'];
  if (error) throw isErrorCode(code) ? new RegisterError(code, error.message) : error;
}

const ROLES_WITHOUT_ACCOUNT: ReadonlySet<string> = new Set(['customer', 'consumer']);

/**
 * Returns false for customers and consumers. Their tokens are not revalidated, they cannot subscribe, and their connections remain counted for
 * their client network: a supplier can issue tokens for every RTI User, so it could occupy all connections that an RTI User may open.
 */
export function hasAccount({ role }: Caller): boolean {
  return !ROLES_WITHOUT_ACCOUNT.has(role);
}

/**
 * Revalidates the connection of an account, including a supplier that was authenticated by its API key.
 *
 * @param onInactive ends the supplier's events; without it, the supplier's status in the register is not checked
 */
export function revalidated(
  { context: { caller }, token, supplierKeyId }: Identification,
  revalidator: SessionRevalidator,
  end: (reason: ConnectionEnd) => void,
  onInactive?: () => void,
): () => void {
  if (!caller || !hasAccount(caller)) return () => undefined;
  const { role, mpid } = caller;
  const supplier = onInactive && role === 'supplier' && mpid !== null ? { supplier: { mpid, onInactive } } : {};
  return revalidator.add({
    caller,
    token: token ?? null,
    supplierKeyId: supplierKeyId ?? null,
    ...supplier,
    end,
  });
}
