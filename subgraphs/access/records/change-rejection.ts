import { RegisterError } from '../../../schema/register-error';
import { type AccessState, type LegalBasis, mayFollow } from './access-record';
import { mayChange } from './transitions';

/** Fields of a stored record that decide about a change. */
interface ChangeableRecord {
  readonly row: { readonly duid: string | null; readonly state: AccessState; readonly legal_basis: LegalBasis | null };
}

/**
 * Throws the error of a conditional change without effect, in the order of checks: NTF001, PRM002 for another Data User, CNF001 for state
 * or legal basis, CND001 for the version. `legalBasis` is that of a replacement.
 */
export function rejectChange(record: ChangeableRecord | null, duid: string, legalBasis?: LegalBasis): never {
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
export function rejectWithdrawal(record: ChangeableRecord | null): never {
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
