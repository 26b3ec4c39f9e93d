import { RegisterError } from '../../../schema/register-error';
import type { Session } from '../../server/transaction';
import { tenancyOf } from '../domain/occupancy';
import { MOST_RECORDS_OF_DATA_USER } from '../domain/record-limit';
import type { PersonalDataVault } from './personal-data-vault';

/** A record that was just added. */
export interface AddedRecord {
  readonly mpxnIndex: Buffer;
  readonly duid: string;
  readonly moveInDate: string;
}

/** Changes of Tenancy that lie ahead count as well: each begins an occupancy. */
const OWN_LIVE = `
  select r.id, r.sealed, k.wrapped as "wrappedKey",
    array(select distinct to_char(effective_date, 'YYYY-MM-DD') as day from change_of_tenancy where mpxn_index = $1 order by day) as days
  from identity_record r join identity_keys.data_key k on k.record_id = r.id
  where r.mpxn_index = $1 and r.duid = $2 and r.anonymised_at is null and not r.is_legacy`;

interface OwnRow {
  readonly id: string;
  readonly sealed: Buffer;
  readonly wrappedKey: Buffer;
  readonly days: readonly string[];
}

/**
 * Refuses (CNF003) the record that makes more live ones of its Data User at the meter point and occupancy than there may be. The
 * transaction holds the lock of the meter point and has added the record, so that of several at once each counts those before it.
 */
export async function keepWithinLimit(
  session: Session,
  vault: PersonalDataVault,
  { mpxnIndex, duid, moveInDate }: AddedRecord,
): Promise<void> {
  const { rows } = await session.query<OwnRow>(OWN_LIVE, [mpxnIndex, duid]);
  if (rows.length <= MOST_RECORDS_OF_DATA_USER) return; // whatever their occupancies
  const changes = (rows[0]?.days ?? []).map((day) => ({ day }));
  const tenancy = tenancyOf(moveInDate, changes);
  const within = rows.filter(
    ({ id, ...row }) => tenancyOf(vault.open(id, row).piiPrincipal.moveInDate, changes) === tenancy,
  );
  if (within.length <= MOST_RECORDS_OF_DATA_USER) return;
  const message = `There are ${MOST_RECORDS_OF_DATA_USER} live Identity Records of this Data User for the meter point and occupancy.`;
  throw new RegisterError('CNF003', message);
}
