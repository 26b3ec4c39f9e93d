import { eraseKeys } from '../../server/occupancy-keys';
import type { Session } from '../../server/database/transaction';
import { tenancyOf } from './occupancy';
import { IDENTITY_OCCUPANCIES } from './identity-occupancies.queries';
import { lockMeterPoint } from '../locks.sql';
import type { PersonalDataCipher } from '../records/personal-data-cipher';
import { TODAY, recordedDays } from './tenancy-change.sql';

const PREMISES = 'select mpxn_index as "premises" from identity_record where id = $1 and anonymised_at is null';

const OWN = `
  select mpxn_index as "premises", ${recordedDays('mpxn_index')} as days, to_char(${TODAY}, 'YYYY-MM-DD') as today, id, sealed,
    wrapped as "wrappedKey"
  from identity_record left join identity_keys.data_key on record_id = id where id = $1 and anonymised_at is null`;

/** The other records of a meter point. Includes closed ones: they are anonymised later, and the last of them erases the key. */
const OPEN_OTHERS = `
  declare other_records no scroll cursor for
  select id, sealed, wrapped as "wrappedKey" from identity_record left join identity_keys.data_key on record_id = id
  where mpxn_index = $1 and anonymised_at is null and id <> $2`;

/** Records that are decrypted at a time: consents of Interface B register any number. */
const PAGE_SIZE = 500;
const NEXT_OTHERS = `fetch ${PAGE_SIZE} from other_records`;
const CLOSE_OTHERS = 'close other_records';

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
  type Row = RecordRow & { readonly premises: Buffer; readonly days: readonly string[]; readonly today: string };
  const [there] = (await session.query<Pick<Row, 'premises'>>(PREMISES, [recordId])).rows;
  if (there === undefined) return;
  await lockMeterPoint(session, there.premises);
  const [own] = (await session.query<Row>(OWN, [recordId])).rows; // with changes that were recorded during the wait
  if (own === undefined) return;
  const ownDate = moveInDate(cipher, own);
  if (ownDate === undefined || ownDate > own.today) return; // a future occupancy has no key
  const changes = own.days.map((day) => ({ day }));
  const tenancy = tenancyOf(ownDate, changes);
  const mayBeOfTenancy = (record: RecordRow) => {
    const date = moveInDate(cipher, record);
    return date === undefined || tenancyOf(date, changes) === tenancy;
  };
  if (await hasOther(session, own, mayBeOfTenancy)) return;
  const { rows: keys } = await session.query<{ id: string }>(KEYS, [own.premises, tenancy]);
  await eraseKeys(
    session,
    IDENTITY_OCCUPANCIES,
    keys.map(({ id }) => id),
    null,
  );
}

/** Whether one of the other records at the meter point of a record meets a condition. Reads no more of them than it needs. */
async function hasOther(
  session: Session,
  { premises, id }: { readonly premises: Buffer; readonly id: string },
  condition: (record: RecordRow) => boolean,
): Promise<boolean> {
  await session.query(OPEN_OTHERS, [premises, id]);
  for (;;) {
    const { rows } = await session.query<RecordRow>(NEXT_OTHERS);
    const isFound = rows.some(condition);
    if (!isFound && rows.length === PAGE_SIZE) continue;
    await session.query(CLOSE_OTHERS);
    return isFound;
  }
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
