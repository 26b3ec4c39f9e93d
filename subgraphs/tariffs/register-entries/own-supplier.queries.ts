import type { ErrorCode } from '../../../schema/error-catalogue';
import { RegisterError } from '../../../schema/register-error';
import { type CallContext, callerOf } from '../../server/callers/caller';
import type { SupplierQueries } from './supplier.queries';

/**
 * Returns the supplier of a caller with the role `supplier`. Every right of a supplier beyond the public's depends on this check: PRM001
 * unless its entry is active (decisions C/D, D.2).
 *
 * @param notFound the code for a supplier without an entry
 */
export async function ownSupplier(
  context: CallContext,
  entries: SupplierQueries,
  notFound: ErrorCode = 'PRM001',
): Promise<string> {
  const { mpid } = callerOf(context);
  if (mpid === null) throw new RegisterError('PRM002');
  const entry = await entries.byKey(mpid);
  if (entry === null && notFound !== 'PRM001') throw new RegisterError(notFound);
  if (entry?.status !== 'active') throw new RegisterError('PRM001', 'The supplier is not active in the register.');
  return mpid;
}

/** Returns the supplier to filter by: as requested by the back office (null: all), its own for a supplier. PRM002 if that requests another. */
export async function visibleSupplier(
  context: CallContext,
  entries: SupplierQueries,
  requested: string | null | undefined,
): Promise<string | null> {
  if (callerOf(context).role !== 'supplier') return requested ?? null;
  const mpid = await ownSupplier(context, entries);
  if ((requested ?? mpid) !== mpid) throw new RegisterError('PRM002');
  return mpid;
}

/** Returns the supplier to write for: a supplier itself, or the one that an admin names. VAL002 if an admin names none. */
export async function writtenSupplier(
  context: CallContext,
  entries: SupplierQueries,
  named: string | null | undefined,
): Promise<string> {
  const mpid = await visibleSupplier(context, entries, named);
  if (mpid !== null) return mpid;
  const message = 'is required of an admin';
  throw new RegisterError('VAL002', message, { violations: [{ code: 'VAL002', path: ['mpid'], message }] });
}

/** Whether a caller may read the meter points at a supplier: only the supplier itself, never the back office (decisions A/B, 1). */
export function seesMeterPoints(context: CallContext, ofSupplier: string): boolean {
  const { role, mpid } = callerOf(context);
  return role === 'supplier' && mpid === ofSupplier;
}

/** Whether a caller may read the addresses of webhooks at a supplier: admins and the supplier itself may. */
export function seesWebhookUrls(context: CallContext, ofSupplier: string): boolean {
  return callerOf(context).role === 'admin' || seesMeterPoints(context, ofSupplier);
}
