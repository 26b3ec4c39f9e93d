import { clocksAgree } from '../../server/database/register-clock';
import type { Session } from '../../server/database/transaction';
import { endedWithDataUser, hasExpired } from './record-state.sql';
import { stateChange } from './transitions';

/** Records that one transaction changes at most, which bounds how long other transactions wait. */
export const MAX_EXPIRIES = 500;

/** Skips records that another transaction has locked; the next run expires them. */
const EXPIRE = {
  name: 'expire_access_records',
  text: `with due as (
      select id, state from access_record where ${hasExpired()} and not (${endedWithDataUser()}) and ${clocksAgree('$1')}
      order by expiry limit ${MAX_EXPIRIES} for no key update skip locked),
    ${stateChange({ cause: 'expired', where: 'access_record.id = due.id', locked: 'due' })}
    select from record`,
};

/** Expires up to {@link MAX_EXPIRIES} records whose expiry has passed; returns how many: none once a clock has jumped. */
export async function expireSome(session: Session): Promise<number> {
  return (await session.query({ ...EXPIRE, values: [new Date()] })).rowCount ?? 0;
}
