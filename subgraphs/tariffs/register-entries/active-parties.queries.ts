import { RegisterError } from '../../../schema/register-error';
import type { Session } from '../../server/database/transaction';
import type { RegisterEntryStatus } from './register-entry-status';

/** The supplier and the RTI User that take part in a request. */
export interface Parties {
  readonly mpid: string;
  readonly userId: string;
}

/** Statuses of a supplier and an RTI User, read in one statement; null if unregistered. */
export interface PartyStatuses {
  readonly supplierStatus: RegisterEntryStatus | null;
  readonly userStatus: RegisterEntryStatus | null;
}

/** Throws AUT001 unless the supplier is active, RTI001 unless the RTI User is: only active parties share data (decisions C/D, D.2). */
export function requireActive({ supplierStatus, userStatus }: PartyStatuses): void {
  if (supplierStatus !== 'active') throw new RegisterError('AUT001');
  if (userStatus !== 'active') throw new RegisterError('RTI001');
}

const LOCK = {
  name: 'lock_active_parties',
  text: `select supplier.status as "supplierStatus", rti_user.status as "userStatus", issuer from supplier cross join rti_user
    where mpid = $1 and user_id = $2 for share of supplier, rti_user`,
};

/**
 * Locks both entries in share mode until the transaction ends and applies {@link requireActive}. A removal waits for the transaction; a
 * transaction that starts after a removal rejects. Returns the issuer of the supplier, which cannot change either until then.
 */
export async function lockActive(session: Session, { mpid, userId }: Parties): Promise<string | null> {
  const { rows } = await session.query<PartyStatuses & { issuer: string | null }>({ ...LOCK, values: [mpid, userId] });
  const { issuer, ...statuses } = rows[0] ?? { supplierStatus: null, userStatus: null, issuer: null };
  requireActive(statuses);
  return issuer;
}
