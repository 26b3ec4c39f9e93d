import type { QueryConfig, QueryResultRow } from 'pg';
import { RegisterError } from '../../../schema/register-error';
import type { Session } from '../../server/database/transaction';

/**
 * SQL: the account id, if the account is active when PostgreSQL evaluates the expression; else the statement fails. A statement that waits
 * for the lock of a row evaluates it after the wait only if it takes the row from the CTE that locks it.
 */
export const activeAccount = (accountId: string): string => `active_account(${accountId})`;

const REQUIRE_ACTIVE = { name: 'require_active_account', text: `select ${activeAccount('$1')}` };

/**
 * Executes a conditional change whose statement reads {@link activeAccount}, and returns its rows. Throws AUT001 if the account is not
 * active, also if no row met the conditions: the records of a terminated account end with it.
 */
export async function changedBy<Row extends QueryResultRow>(
  accountId: string,
  statement: QueryConfig,
  session: Session,
): Promise<Row[]> {
  try {
    const { rows } = await session.query<Row>(statement);
    if (rows.length === 0) await session.query({ ...REQUIRE_ACTIVE, values: [accountId] });
    return rows;
  } catch (error) {
    throw (error as { code?: unknown }).code === 'CD002' ? new RegisterError('AUT001') : error;
  }
}
