import type { EntityManager } from 'typeorm';
import type { AuditAction } from '../../../schema/audit-actions';
import { newIdentifier } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import type { EntityDatabase } from '../../server/database/database';
import type { KeyedHash } from '../../server/keyed-hash';
import { encryptValue } from '../../server/encryption';
import {
  type AccountInput,
  type AccountSettings,
  STATUS_CHANGES,
  type StatusChange,
  changedSettings,
  hasDuid,
  isNaming,
  withLists,
} from './account';
import { AccountEntity, AuditEntryEntity } from './account.entity';
import { clientSecretOf, replaceSecret, shortened } from './account-secret.repository';
import {
  addSecret,
  claimedBy,
  requireRemainingAdmin,
  lockedAccount,
  lockedSupplier,
  mpidInUse,
  updateDeliveries,
} from './locked-account.repository';

const ROTATION_OVERLAP = '24 hours';
const CLOCK_OFFSET = 'select round(extract(epoch from register_now() - statement_timestamp()))::int as seconds';

/** Administration of accounts in audited transactions. */
export class AccountRepository {
  constructor(
    private readonly database: EntityDatabase,
    private readonly hashOfSecret: KeyedHash,
    private readonly encryptionKey: Buffer,
  ) {}

  /** Returns accounts by identifier. */
  accounts(first: number, after: string | null): Promise<AccountEntity[]> {
    const accounts = this.database.source.getRepository(AccountEntity);
    const page = accounts.createQueryBuilder('account').orderBy('account.accountId').limit(first);
    if (after !== null) page.where('account.accountId > :after', { after });
    return page.getMany();
  }

  /** Returns the number of all accounts. */
  count(): Promise<number> {
    return this.database.source.getRepository(AccountEntity).count();
  }

  /** Returns an account by its id. */
  account(accountId: string): Promise<AccountEntity | null> {
    return this.database.source.getRepository(AccountEntity).findOneBy({ accountId });
  }

  /** Onboards an account and returns its secret, which cannot be read later. Throws VAL003 if its `mpid` is in use. */
  async onboard(
    actor: string,
    { mpid, role, ...settings }: AccountInput,
  ): Promise<{ account: AccountEntity; secretKey: string }> {
    const onboarding = this.audited(actor, 'onboard', async (manager) => {
      const accountId = newIdentifier('acc');
      await manager.insert(AccountEntity, {
        accountId,
        role,
        status: 'active',
        duid: hasDuid(role) ? newIdentifier('duid') : null,
        mpid: mpid ?? null,
        ...withLists(settings),
      });
      const secretKey = await addSecret(manager, accountId, 'sign-in', this.hashOfSecret);
      return {
        subject: accountId,
        detail: { role },
        result: { account: await lockedAccount(manager, accountId), secretKey },
      };
    });
    return onboarding.catch((error: unknown) => Promise.reject(mpidInUse(error) ?? error));
  }

  /** Issues a new secret; the previous one remains valid for 24 hours. */
  rotateSecret(actor: string, accountId: string): Promise<{ account: AccountEntity; secretKey: string }> {
    return this.audited(actor, 'rotate-secret', async (manager) => {
      const account = await lockedAccount(manager, accountId);
      const replacement = { kind: 'sign-in', overlap: ROTATION_OVERLAP } as const;
      const { secretKey, ...detail } = await replaceSecret(manager, accountId, replacement, this.hashOfSecret);
      return { subject: accountId, detail, result: { account, secretKey } };
    });
  }

  /** Issues the API key of a supplier (Interface D); the previous key becomes invalid. */
  issueSupplierApiKey(actor: string, accountId: string): Promise<{ account: AccountEntity; secretKey: string }> {
    return this.audited(actor, 'issue-supplier-api-key', async (manager) => {
      const account = await lockedSupplier(manager, accountId);
      const replacement = { kind: 'supplier-api', overlap: '0 s' } as const;
      const { secretKey, ...detail } = await replaceSecret(manager, accountId, replacement, this.hashOfSecret);
      return { subject: accountId, detail, result: { account, secretKey } };
    });
  }

  /**
   * Suspends, reactivates or terminates an account. Throws CNF001 if its status does not allow the change, or if no active admin would
   * remain.
   */
  changeStatus(actor: string, accountId: string, change: StatusChange): Promise<AccountEntity> {
    return this.audited(actor, change, async (manager) => {
      await requireRemainingAdmin(manager, accountId, change);
      const { status } = await lockedAccount(manager, accountId);
      const { from: allowed, to } = STATUS_CHANGES[change];
      if (!allowed.includes(status)) throw new RegisterError('CNF001', `The account is ${status}.`);
      await manager.query(
        `update account set status = $2, suspended_at = case when $2 = 'suspended' then register_now() end where account_id = $1`,
        [accountId, to],
      );
      await updateDeliveries(manager, accountId, change);
      return {
        subject: accountId,
        detail: { from: { status }, to: { status: to } },
        result: await lockedAccount(manager, accountId),
      };
    });
  }

  /** Sets fields of an account. A new name or reference of a Data User claims the DISCOVERED records of that organisation. */
  set(actor: string, accountId: string, settings: AccountSettings): Promise<AccountEntity> {
    return this.audited(actor, 'set', async (manager) => {
      const before = await lockedAccount(manager, accountId);
      await manager.update(AccountEntity, { accountId }, settings as Partial<AccountEntity>);
      const after = await lockedAccount(manager, accountId);
      const claimed = isNaming(settings) ? await claimedBy(manager, after) : 0;
      const detail = { ...changedSettings(before, after, settings), ...(claimed > 0 ? { claimed } : {}) };
      return { subject: accountId, detail, result: after };
    });
  }

  /** Withdraws or restores the right of a Data User to assert `verified`. Throws CNF001 if nothing would change. */
  setVerificationRight(actor: string, accountId: string, right: 'withdraw' | 'restore'): Promise<AccountEntity> {
    return this.audited(actor, `${right}-verification-right`, async (manager) => {
      const { role, verificationWithdrawnAt } = await lockedAccount(manager, accountId);
      if (role !== 'data_user') throw new RegisterError('CNF001', 'Only Data Users assert `verified`.');
      const isWithdrawn = verificationWithdrawnAt !== null;
      if (isWithdrawn === (right === 'withdraw'))
        throw new RegisterError('CNF001', `The right is ${isWithdrawn ? 'withdrawn already' : 'not withdrawn'}.`);
      const text = `update account set verification_withdrawn_at = case when $2 then register_now() end where account_id = $1`;
      await manager.query(text, [accountId, right === 'withdraw']);
      const detail = { from: { isWithdrawn }, to: { isWithdrawn: !isWithdrawn } };
      return { subject: accountId, detail, result: await lockedAccount(manager, accountId) };
    });
  }

  /** Sets the OpenID Connect client of a supplier. Its secret is stored encrypted; the audit has its fingerprint. */
  setSupplierOAuth(actor: string, accountId: string, oauthIssuer: string, oauthClientId: string, clientSecret: string) {
    return this.audited(actor, 'set-supplier-oauth', async (manager) => {
      const before = await lockedSupplier(manager, accountId);
      const formerSecret = await clientSecretOf(manager, accountId, this.encryptionKey);
      const oauthClientSecret = encryptValue(this.encryptionKey, clientSecret, accountId);
      const settings = { oauthIssuer, oauthClientId };
      await manager.update(AccountEntity, { accountId }, { ...settings, oauthClientSecret });
      const after = await lockedAccount(manager, accountId);
      const { from, to } = changedSettings(before, after, settings);
      const secretOf = (secret: string | null) => ({ secret: secret && shortened(this.hashOfSecret(secret)) });
      const detail = { from: { ...from, ...secretOf(formerSecret) }, to: { ...to, ...secretOf(clientSecret) } };
      return { subject: accountId, detail, result: after };
    });
  }

  /** Moves the register's clock: sets its offset from the system time in seconds. */
  async moveClock(actor: string, seconds: number): Promise<void> {
    await this.audited(actor, 'set-clock-offset', async (manager) => {
      const [former] = await manager.query<{ seconds: number }[]>(CLOCK_OFFSET);
      await manager.query('select register.set_clock_offset($1)', [seconds]);
      return { subject: 'register', detail: { from: former, to: { seconds } }, result: undefined };
    });
  }

  /** Makes a change and its entry in the audit in one transaction. */
  private audited<Result>(
    actor: string,
    action: AuditAction,
    change: (manager: EntityManager) => Promise<{ subject: string; detail: Record<string, unknown>; result: Result }>,
  ): Promise<Result> {
    return this.database.source.transaction(async (manager) => {
      const { subject, detail, result } = await change(manager);
      await manager.insert(AuditEntryEntity, { actor, action, subject, detail: detail as never });
      return result;
    });
  }
}
