import type { ErrorCode } from '../../../schema/error-catalogue';
import { RegisterError } from '../../../schema/register-error';
import { type CallContext, callerOf } from '../../server/caller';
import type { SupplierLists } from '../database/supplier-lists';

/** Where the entry of a supplier is read, anew for every request. */
export type SupplierEntries = Pick<SupplierLists, 'byMpid'>;

/**
 * The supplier as which a caller of the role `supplier` acts and sees more than the public: the only place that says so. PRM001 unless its
 * entry is active at this instant (3-decisions-c-d.md, D.2).
 *
 * @param unknown the code for a supplier without an entry
 */
export async function ownSupplier(
  context: CallContext,
  entries: SupplierEntries,
  unknown: ErrorCode = 'PRM001',
): Promise<string> {
  const { mpid } = callerOf(context);
  if (mpid === null) throw new RegisterError('PRM002');
  const entry = await entries.byMpid(mpid);
  if (entry === null && unknown !== 'PRM001') throw new RegisterError(unknown);
  if (entry?.status !== 'active') throw new RegisterError('PRM001', 'The supplier is not active in the register.');
  return mpid;
}

/** The supplier of whom a caller sees something: any for the back office, its own for a supplier; PRM002 when that asks for another's. */
export async function visibleSupplier(
  context: CallContext,
  entries: SupplierEntries,
  asked: string | null | undefined,
): Promise<string | null> {
  if (callerOf(context).role !== 'supplier') return asked ?? null;
  const mpid = await ownSupplier(context, entries);
  if ((asked ?? mpid) !== mpid) throw new RegisterError('PRM002');
  return mpid;
}

/** The supplier for whom a caller writes: itself for a supplier, for an admin the one that it names; VAL002 when it names none. */
export async function writtenSupplier(
  context: CallContext,
  entries: SupplierEntries,
  named: string | null | undefined,
): Promise<string> {
  const mpid = await visibleSupplier(context, entries, named);
  if (mpid !== null) return mpid;
  const message = 'is required of an admin';
  throw new RegisterError('VAL002', message, { violations: [{ code: 'VAL002', path: ['mpid'], message }] });
}

/** Whether a caller sees the meter points and addresses at a supplier: an admin, and the supplier itself. */
export function seesPersonalData(context: CallContext, ofSupplier: string): boolean {
  const { role, mpid } = callerOf(context);
  return role === 'admin' || (role === 'supplier' && mpid === ofSupplier);
}
