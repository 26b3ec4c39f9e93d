import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { RegisterError } from '../../../schema/register-error';
import { type StatusChange, isDeactivation } from './account';
import { AccountEntity, AccountSecretEntity } from './account.entity';
import type { KeyedHash } from '../../server/keyed-hash';

/** Returns an account and locks its row until the transaction ends, which serialises its changes. Throws NTF001 if it does not exist. */
export async function lockedAccount(manager: EntityManager, accountId: string): Promise<AccountEntity> {
  const account = await manager.findOne(AccountEntity, {
    where: { accountId },
    lock: { mode: 'pessimistic_write' },
  });
  if (!account) throw new RegisterError('NTF001');
  return account;
}

/** Returns and locks the account of a supplier. Throws VAL003 for any other account. */
export async function lockedSupplier(manager: EntityManager, accountId: string): Promise<AccountEntity> {
  const account = await lockedAccount(manager, accountId);
  if (account.role === 'supplier') return account;
  const message = 'is not the account of a supplier';
  throw new RegisterError('VAL003', message, { violations: [{ code: 'VAL003', path: ['accountId'], message }] });
}

/**
 * Throws CNF001 if a change would leave the register without an active admin, since no account could then reactivate one. It locks all
 * active admins in one order: if two suspend each other at the same time, the second call fails.
 */
export async function requireRemainingAdmin(
  manager: EntityManager,
  accountId: string,
  change: StatusChange,
): Promise<void> {
  if (!isDeactivation(change)) return;
  const account = await manager.findOneBy(AccountEntity, { accountId });
  if (account?.role !== 'admin') return;
  const active = await manager.find(AccountEntity, {
    where: { role: 'admin', status: 'active' },
    order: { accountId: 'ASC' },
    lock: { mode: 'pessimistic_write' },
  });
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

/** Claims the DISCOVERED records of an organisation where it has ACTIVE records; returns how many were claimed. */
export async function claimedBy(manager: EntityManager, { duid }: AccountEntity): Promise<number> {
  if (duid === null) return 0;
  const [row] = await manager.query<{ claimed: number }[]>('select claim_discovered_of($1) as claimed', [duid]);
  return row?.claimed ?? 0;
}

const OWN = `from webhook where duid = (select duid from account where account_id = $1) and deleted_at is null order by id`;

/** Statement for the deliveries of a Data User after a change of its status: a reactivation resumes them, a termination ends them. */
const DELIVERIES: Readonly<Record<StatusChange, string | null>> = {
  suspend: null,
  reactivate: `select resume_deliveries(id) ${OWN}`,
  terminate: `select end_deliveries(id) ${OWN}`,
};

/** Resumes or ends the deliveries of an account after a change of its status, in the same transaction. */
export async function updateDeliveries(manager: EntityManager, accountId: string, change: StatusChange): Promise<void> {
  const statement = DELIVERIES[change];
  if (statement !== null) await manager.query(statement, [accountId]);
}

/** Adds a secret of an account and returns it; only its keyed hash is stored. */
export async function addSecret(
  manager: EntityManager,
  accountId: string,
  kind: AccountSecretEntity['kind'],
  hashOfSecret: KeyedHash,
): Promise<string> {
  const secretKey = `sk_${randomBytes(32).toString('base64url')}`;
  const secretHash = hashOfSecret(secretKey);
  await manager.insert(AccountSecretEntity, { accountId, kind, secretHash, validUntil: null });
  return secretKey;
}
