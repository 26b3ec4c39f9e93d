import { RegisterError } from '../../../schema/register-error';
import type { StoredAccessRecord } from '../database/stored-access-record';
import { type AccessState, type LegalBasis, mayFollow } from '../domain/access-record';
import { mayChange } from '../domain/state-transitions';

/**
 * Why a conditional change found nothing to change, in the order of checks: 404, owner 403, 409, 412. A replacement names its legal basis.
 */
export function refuseChange(record: StoredAccessRecord | null, duid: string, legalBasis?: LegalBasis): never {
  if (!record) throw new RegisterError('NTF001');
  if (record.row.duid !== duid) throw new RegisterError('PRM002');
  refuseState(record.row.state);
  if (legalBasis !== undefined && !mayFollow(record.row.legal_basis, legalBasis))
    throw new RegisterError(
      'CNF001',
      'A replacement makes no other legal basis of consent, and no consent of another.',
    );
  throw new RegisterError('CND001');
}

/** Why an alias withdrew nothing: it stands for no consent record (any more), for one that is not ACTIVE, or for another version. */
export function refuseAlias(state: AccessState | undefined): never {
  if (state === undefined) throw new RegisterError('NTF001');
  refuseState(state);
  throw new RegisterError('CND001');
}

/** Why a customer withdrew nothing: the record is out of scope, has ended, or its legal basis is not consent. */
export function refuseWithdrawal(record: StoredAccessRecord | null): never {
  if (!record) throw new RegisterError('NTF001');
  refuseState(record.row.state);
  throw new RegisterError('CNF001', 'The access does not rest on consent, which alone can be withdrawn.');
}

function refuseState(state: AccessState): void {
  if (!mayChange(state)) throw new RegisterError('CNF001', `The access record is ${state}, not ACTIVE.`);
}
