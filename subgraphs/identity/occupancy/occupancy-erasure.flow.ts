import { eraseKeys } from '../../server/occupancy-keys';
import type { Session } from '../../server/database/transaction';
import { tenancyOf } from './occupancy';
import { IDENTITY_OCCUPANCIES } from './identity-occupancies.queries';
import { lockMeterPoint } from '../locks.sql';
import type { PersonalDataCipher } from '../records/personal-data-cipher';
import { TODAY, recordedDays } from './tenancy-change.sql';

const METER_POINT = `
  select mpxn_index as "premises", ${recordedDays('mpxn_index')} as days, to_char(${TODAY}, 'YYYY-MM-DD') as today
  from identity_record where id = $1 and anonymised_at is null`;

/** Includes closed records: they are anonymised later, and the last of them erases the key. */
const RECORDS_THERE = `
  select id, sealed, wrapped as "wrappedKey" from identity_record left join identity_keys.data_key on record_id = id
  where mpxn_index = $1 and anonymised_at is null`;

const KEYS = `select id from identity_keys.occupancy_key where premises = $1 and began = coalesce(nullif($2, ''), '-infinity')::date`;

interface RecordRow {
  readonly id: string;
  readonly sealed: Buffer;
  readonly wrappedKey: Buffer | null;
}

/**
 * Erases the stored MPxNs of an Identity Record's occupancy in the transaction that anonymises it, unless another record of the occupancy
 * exists (decisions A/B, 12). A record of a person who moves in at a future change belongs to another occupancy. A change that is not yet
 * announced keeps the key until then.
 */
export async function eraseOccupancy(session: Session, cipher: PersonalDataCipher, recordId: string): Promise<void> {
  type Row = { readonly premises: Buffer; readonly days: readonly string[]; readonly today: string };
  const [own] = (await session.query<Row>(METER_POINT, [recordId])).rows;
  if (own === undefined) return;
  await lockMeterPoint(session, own.premises);
  const { rows } = await session.query<RecordRow>(RECORDS_THERE, [own.premises]);
  const moveIn = (record: RecordRow | undefined) => (record === undefined ? undefined : moveInDate(cipher, record));
  const ownDate = moveIn(rows.find(({ id }) => id === recordId));
  if (ownDate === undefined || ownDate > own.today) return; // a future occupancy has no key
  const changes = own.days.map((day) => ({ day }));
  const tenancy = tenancyOf(ownDate, changes);
  const others = rows.filter(({ id }) => id !== recordId).map(moveIn);
  if (others.some((date) => date === undefined || tenancyOf(date, changes) === tenancy)) return;
  const { rows: keys } = await session.query<{ id: string }>(KEYS, [own.premises, tenancy]);
  await eraseKeys(
    session,
    IDENTITY_OCCUPANCIES,
    keys.map(({ id }) => id),
    null,
  );
}

/** Returns undefined for a record that cannot be decrypted. */
function moveInDate(cipher: PersonalDataCipher, { id, sealed, wrappedKey }: RecordRow): string | undefined {
  if (wrappedKey === null) return undefined;
  try {
    return cipher.open(id, { sealed, wrappedKey }).piiPrincipal.moveInDate;
  } catch {
    return undefined;
  }
}
