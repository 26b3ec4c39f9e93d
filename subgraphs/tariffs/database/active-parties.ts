import { RegisterError } from '../../../schema/register-error';
import type { Session } from '../../server/transaction';
import type { RegisterEntryStatus } from '../domain/register-entry-status';

/** Whose statuses a request depends on. */
export interface Parties {
  readonly mpid: string;
  readonly userId: string;
}

/** The statuses of both, at the instant of a statement; null for one that is not registered. */
export interface PartyStatuses {
  readonly supplierStatus: RegisterEntryStatus | null;
  readonly userStatus: RegisterEntryStatus | null;
}

/** AUT001 unless the supplier is active, RTI001 unless the RTI User is: only then anything is shared (3-decisions-c-d.md, D.2). */
export function requireActive({ supplierStatus, userStatus }: PartyStatuses): void {
  if (supplierStatus !== 'active') throw new RegisterError('AUT001');
  if (userStatus !== 'active') throw new RegisterError('RTI001');
}

const LOCK = {
  name: 'lock_active_parties',
  text: `select supplier.status as "supplierStatus", rti_user.status as "userStatus" from supplier cross join rti_user
    where mpid = $1 and user_id = $2 for share of supplier, rti_user`,
};

/** Keeps both as they are until the transaction ends; refuses as {@link requireActive}. What comes after a removal sees it. */
export async function lockActive(session: Session, { mpid, userId }: Parties): Promise<void> {
  const { rows } = await session.query<PartyStatuses>({ ...LOCK, values: [mpid, userId] });
  requireActive(rows[0] ?? { supplierStatus: null, userStatus: null });
}
