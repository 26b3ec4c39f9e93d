import { RegisterError } from '../../../schema/register-error';
import type { CallContext } from '../../server/callers/caller';
import { type AccessState, type LegalBasis, isOwner, mayFollow } from './access-record';
import type { AccessRecordRepository } from './access-record.repository';
import { mayChange } from './transitions';
import type { StoredAccessRecord } from './stored-access-record.queries';

/**
 * Throws the error of a conditional change without effect, in the order of checks: NTF001, PRM002 for another Data User, CNF001 for state
 * or legal basis, CND001 for the version. `legalBasis` is that of a replacement.
 */
export function rejectChange(record: StoredAccessRecord | null, duid: string, legalBasis?: LegalBasis): never {
  if (!record) throw new RegisterError('NTF001');
  if (record.row.duid !== duid) throw new RegisterError('PRM002');
  rejectState(record.row.state);
  if (legalBasis !== undefined && !mayFollow(record.row.legal_basis, legalBasis))
    throw new RegisterError(
      'CNF001',
      'A replacement cannot change a consent to another legal basis, or another legal basis to consent.',
    );
  throw new RegisterError('CND001');
}

/** Throws the error of a withdrawal by alias without effect: no record on consent, not ACTIVE, or another version. */
export function rejectAlias(state: AccessState | undefined): never {
  if (state === undefined) throw new RegisterError('NTF001');
  rejectState(state);
  throw new RegisterError('CND001');
}

/** Throws the error of a customer's withdrawal without effect: not in scope, not ACTIVE, or no legal basis of consent. */
export function rejectWithdrawal(record: StoredAccessRecord | null): never {
  if (!record) throw new RegisterError('NTF001');
  rejectState(record.row.state);
  throw new RegisterError(
    'CNF001',
    'Only consent can be withdrawn, and the legal basis of this access is not consent.',
  );
}

function rejectState(state: AccessState): void {
  if (!mayChange(state)) throw new RegisterError('CNF001', `The access record is ${state}, not ACTIVE.`);
}

/**
 * Returns the access key or alias with which the caller addressed the record, else the access key for its owner. Throws AUT001 without a
 * caller, PRM002 for a caller that is not the owner.
 */
export function disclosedKey(
  record: StoredAccessRecord,
  { caller }: CallContext,
  records: AccessRecordRepository,
): string {
  if (record.suppliedKey !== null) return record.suppliedKey;
  if (caller === null) throw new RegisterError('AUT001');
  if (!isOwner(caller, record.row.duid) || caller.role !== 'data_user') throw new RegisterError('PRM002');
  return records.keyOf(record);
}
