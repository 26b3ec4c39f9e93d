import type { EntityManager } from 'typeorm';
import { RegisterError } from '../../../schema/register-error';
import { type StatusChange, isFarewell } from '../domain/account';
import { AccountEntity } from './account.entity';

/** An account, locked until the end of the transaction, so that changes of it are made one after the other; NTF001. */
export async function lockedAccount(manager: EntityManager, accountId: string): Promise<AccountEntity> {
  const account = await manager.findOne(AccountEntity, {
    where: { accountId },
    lock: { mode: 'pessimistic_write' },
  });
  if (!account) throw new RegisterError('NTF001');
  return account;
}

/** The account of a supplier, locked. */
export async function lockedSupplier(manager: EntityManager, accountId: string): Promise<AccountEntity> {
  const account = await lockedAccount(manager, accountId);
  if (account.role === 'supplier') return account;
  const message = 'is not the account of a supplier';
  throw new RegisterError('VAL003', message, { violations: [{ code: 'VAL003', path: ['accountId'], message }] });
}

/**
 * CNF001 when the change would leave the register without an active admin, whom nobody could then let in again. All active admins
 * are locked, in one order: of two who suspend each other at once, the second finds itself the last.
 */
export async function keepOneAdmin(manager: EntityManager, accountId: string, change: StatusChange): Promise<void> {
  if (!isFarewell(change)) return;
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

/** A market participant id that is in use is a fault of the request, found by the unique index only. */
export function mpidInUse(error: unknown): RegisterError | undefined {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  if (code !== '23505' || constraint !== 'account_mpid_key') return undefined;
  const message = 'is in use';
  return new RegisterError('VAL003', message, { violations: [{ code: 'VAL003', path: ['mpid'], message }] });
}
