import { randomBytes } from 'node:crypto';
import { RegisterError } from '../../../schema/register-error';
import { FAN_OUT_LOCK } from '../../delivery/fan-out.sql';
import type { Session } from '../../server/database/transaction';
import type { KeyedHash } from '../../server/keyed-hash';
import { type Account, type SecretKind, type StatusChange, isDeactivation } from './account';
import { ACCOUNT_COLUMNS } from './stored-account.repository';

/** Returns an account and locks its row until the transaction ends, which serialises its changes. Throws NTF001 if it does not exist. */
export async function lockedAccount(session: Session, accountId: string): Promise<Account> {
  const text = `select ${ACCOUNT_COLUMNS} from account where account_id = $1 for update`;
  const [account] = (await session.query<Account>(text, [accountId])).rows;
  if (!account) throw new RegisterError('NTF001');
  return account;
}

/** Returns and locks the account of a supplier. Throws VAL003 for any other account. */
export async function lockedSupplier(session: Session, accountId: string): Promise<Account> {
  const account = await lockedAccount(session, accountId);
  if (account.role === 'supplier') return account;
  const message = 'is not the account of a supplier';
  throw new RegisterError('VAL003', message, { violations: [{ code: 'VAL003', path: ['accountId'], message }] });
}

/** All active admins, if the account is one of the admins. */
const ACTIVE_ADMINS = `select account_id as "accountId" from account
  where role = 'admin' and status = 'active' and exists (select from account where account_id = $1 and role = 'admin')
  order by account_id for update`;

/**
 * Throws CNF001 if a change would leave the register without an active admin, since no account could then reactivate one. It locks all
 * active admins in one order: if two suspend each other at the same time, the second call fails.
 */
export async function requireRemainingAdmin(session: Session, accountId: string, change: StatusChange): Promise<void> {
  if (!isDeactivation(change)) return;
  const { rows: active } = await session.query<{ accountId: string }>(ACTIVE_ADMINS, [accountId]);
  if (active.length === 1 && active[0]?.accountId === accountId) {
    throw new RegisterError('CNF001', 'The last active admin cannot be suspended or terminated.');
  }
}

/** VAL003 for a violation of the unique index of market participant ids; undefined for any other error. */
export function mpidInUse(error: unknown): RegisterError | undefined {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  if (code !== '23505' || constraint !== 'account_mpid_key') return undefined;
  const message = 'is in use';
  return new RegisterError('VAL003', message, { violations: [{ code: 'VAL003', path: ['mpid'], message }] });
}

const OWN = `from webhook where duid = (select duid from account where account_id = $1) and deleted_at is null order by id`;

/** Statement for the deliveries of a Data User at a change of its status: a reactivation resumes them, a termination ends them. */
const DELIVERIES: Readonly<Record<StatusChange, string | null>> = {
  suspend: null,
  reactivate: `select resume_deliveries(id) ${OWN}`,
  terminate: `select end_deliveries(id) ${OWN}`,
};

/** Waits for the fan-out in progress, and delays the next one: both lock several endpoints, in different orders. */
const NOT_DURING_FAN_OUT = `select pg_advisory_xact_lock_shared(${FAN_OUT_LOCK})`;

/**
 * Resumes or ends the deliveries of an account in the transaction that changes its status, before the change: a termination counts from that
 * statement on, and is read once the transaction commits.
 */
export async function updateDeliveries(session: Session, accountId: string, change: StatusChange): Promise<void> {
  const statement = DELIVERIES[change];
  if (statement === null) return;
  await session.query(NOT_DURING_FAN_OUT);
  await session.query(statement, [accountId]);
}

/** Adds a secret of an account and returns it; only its keyed hash is stored. */
export async function addSecret(
  session: Session,
  accountId: string,
  kind: SecretKind,
  hashOfSecret: KeyedHash,
): Promise<string> {
  const secretKey = `sk_${randomBytes(32).toString('base64url')}`;
  const insert = 'insert into account_secret (account_id, kind, secret_hash) values ($1, $2, $3)';
  await session.query(insert, [accountId, kind, hashOfSecret(secretKey)]);
  return secretKey;
}
