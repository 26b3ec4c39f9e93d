import { RegisterError } from '../../../schema/register-error';
import type { Session } from '../../server/database/transaction';
import { tenancyOf } from '../occupancy/occupancy';
import { recordedDays } from '../occupancy/tenancy-change.sql';
import { readablePersonal } from './identity-record';
import { MAX_RECORDS_OF_DATA_USER } from './identity-record-rules';
import type { PersonalDataCipher } from './personal-data-cipher';

/** A record that the transaction added. */
interface AddedRecord {
  readonly mpxnIndex: Buffer;
  readonly duid: string;
  readonly moveInDate: string;
}

/** A Data User's live records at a meter point. Future Changes of Tenancy count too, because each starts an occupancy. */
const OWN_LIVE = `
  select r.id, r.sealed, k.wrapped as "wrappedKey",
    ${recordedDays('$1')} as days
  from identity_record r join identity_keys.data_key k on k.record_id = r.id
  where r.mpxn_index = $1 and r.duid = $2 and r.anonymised_at is null and r.closed_at is null and not r.is_legacy`;

interface OwnRow {
  readonly id: string;
  readonly sealed: Buffer;
  readonly wrappedKey: Buffer;
  readonly days: readonly string[];
}

/**
 * Throws CNF003 if a Data User has more live records at the meter point and occupancy than allowed; one that cannot be decrypted counts in
 * each. The transaction has locked the meter point and added the record, so concurrent registrations count each other's records.
 */
export async function requireWithinLimit(
  session: Session,
  cipher: PersonalDataCipher,
  { mpxnIndex, duid, moveInDate }: AddedRecord,
): Promise<void> {
  const { rows } = await session.query<OwnRow>(OWN_LIVE, [mpxnIndex, duid]);
  if (rows.length <= MAX_RECORDS_OF_DATA_USER) return; // in all occupancies together
  const changes = (rows[0]?.days ?? []).map((day) => ({ day }));
  const tenancy = tenancyOf(moveInDate, changes);
  const isWithin = ({ id, ...row }: OwnRow) => {
    const personal = readablePersonal({ personal: () => cipher.open(id, row) });
    return personal === null || tenancyOf(personal.piiPrincipal.moveInDate, changes) === tenancy;
  };
  const within = rows.filter(isWithin);
  if (within.length <= MAX_RECORDS_OF_DATA_USER) return;
  const message = `There are ${MAX_RECORDS_OF_DATA_USER} live Identity Records of this Data User for the meter point and occupancy.`;
  throw new RegisterError('CNF003', message);
}
