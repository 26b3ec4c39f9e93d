import type { EntityManager } from 'typeorm';
import type { StatusChange } from '../domain/account';

const OWN = `from webhook where duid = (select duid from account where account_id = $1) and deleted_at is null order by id`;

/**
 * What becomes of deliveries with the standing of their Data User: a reactivation sends what was kept, after a termination
 * nothing is sent.
 */
const DELIVERIES: Readonly<Record<StatusChange, string | null>> = {
  suspend: null,
  reactivate: `select resume_deliveries(id) ${OWN}`,
  terminate: `select end_deliveries(id) ${OWN}`,
};

/** Lets the deliveries of an account follow a change of its status, in the transaction of the change. */
export async function followStanding(manager: EntityManager, accountId: string, change: StatusChange): Promise<void> {
  const statement = DELIVERIES[change];
  if (statement !== null) await manager.query(statement, [accountId]);
}
