import { stateChange } from '../records/transitions';
import { ON_CONSENT, isActive } from '../records/record-state.sql';

/**
 * Statement that withdraws consent for the customer, in the register's portal or a third party's. It is one conditional update, so that
 * concurrent changes of the record are serialised. `which` is a condition that selects the record; `account` and `reason` are SQL values or
 * parameters.
 */
export const withdrawal = (which: string, { account, reason }: { account: string; reason: string }): string => `
  with ${stateChange({ cause: 'withdrawn', where: `${which} and ${ON_CONSENT} and ${isActive()}`, reason, account })}
  select revoked_at from record`;
