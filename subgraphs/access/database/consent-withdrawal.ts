import { NEXT_NUMBER } from './access-record.repository';
import { ON_CONSENT, isActive } from './record-state';

/**
 * The withdrawal of consent by the customer, in this portal or in a third party's: one conditional statement, so that whoever else
 * changes the record at once comes before or after it. `which` says of which record; the others are values or parameters.
 */
export const withdrawal = (which: string, { account, reason }: { account: string; reason: string }): string => `
  with record as (
    update access_record set state = 'REVOKED', revoked_at = register_now()
    where ${which} and ${ON_CONSENT} and ${isActive()} returning *),
  transition as (
    insert into access_record_transition (record_id, number, from_state, to_state, cause, reason, account_id)
    select id, ${NEXT_NUMBER}, 'ACTIVE', 'REVOKED', 'withdrawn', ${reason}, ${account} from record)
  select revoked_at from record`;
