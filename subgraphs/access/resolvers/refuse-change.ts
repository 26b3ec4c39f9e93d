import { RegisterError } from '../../../schema/register-error';
import type { StoredAccessRecord } from '../database/stored-access-record';
import { mayChange } from '../domain/state-transitions';

/** Why a conditional change found nothing to change, in the order of checks: 404, owner 403, 409, 412. */
export function refuseChange(record: StoredAccessRecord | null, duid: string): never {
  if (!record) throw new RegisterError('NTF001');
  if (record.row.duid !== duid) throw new RegisterError('PRM002');
  if (!mayChange(record.row.state))
    throw new RegisterError('CNF001', `The access record is ${record.row.state}, not ACTIVE.`);
  throw new RegisterError('CND001');
}
