import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { newIdentifier } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import type { AccountRole } from '../../../schema/roles';
import type { Database } from '../../server/database';
import type { KeyedHash } from '../../server/keyed-hash';
import { seal } from '../../server/sealed';
import {
  type AccountInput,
  type AccountSettings,
  type AccountStatus,
  STATUS_CHANGES,
  type StatusChange,
  hasDuid,
} from '../domain/account';
import { AccountEntity, AccountSecretEntity, AuditEntryEntity } from './account.entity';
import { keepOneAdmin, lockedAccount, lockedSupplier, mpidInUse } from './locked-account.repository';
import { followStanding } from './webhook-standing.repository';

/** What is read of an account at every request of its caller: never cached. */
export interface AdmissionRow {
  readonly account_id: string;
  readonly role: AccountRole;
  readonly duid: string | null;
  readonly mpid: string | null;
  readonly status: AccountStatus;
  readonly now: Date;
}

/** What is read of an account that signs in. */
export type SignInRow = AdmissionRow;

const ADMISSION = {
  name: 'admission',
  text: 'select account_id, role, duid, mpid, status, register_now() as now from account where account_id = any($1)',
};

const SIGN_IN = {
  name: 'sign_in',
  text: `select account_id, role, duid, mpid, status, register_now() as now from account
    join account_secret using (account_id)
    where account_id = $1 and kind = 'sign-in' and secret_hash = $2 and (valid_until is null or valid_until > register_now())`,
};

/** What is read of the supplier whose API key a request carries. */
export interface SupplierKeyRow {
  readonly account_id: string;
  readonly mpid: string;
  readonly key_id: string;
}

const BY_SUPPLIER_KEY = {
  name: 'account_by_supplier_key',
  text: `select account_id, mpid, account_secret.id as key_id from account_secret join account using (account_id)
    where secret_hash = $1 and kind = 'supplier-api' and (valid_until is null or valid_until > register_now())
      and role = 'supplier' and status = 'active'`,
};

const LIVE_SUPPLIER_KEYS = {
  name: 'live_supplier_keys',
  text: `select id from account_secret
    where id = any($1::uuid[]) and kind = 'supplier-api' and (valid_until is null or valid_until > register_now())`,
};

/** Hours for which the old secret works after a rotation (2-decisions-a-b.md, section 2). */
const ROTATION_OVERLAP = '24 hours';

/** Accounts: sign-in and admission by single reads, administration in audited transactions. */
export class AccountRepository {
  /** Status and claims of an account, as they are now. */
  readonly admission: (accountId: string) => Promise<AdmissionRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly hashOfSecret: KeyedHash,
    private readonly sealingKey: Buffer,
  ) {
    this.admission = database.reads.byKey(ADMISSION, (row: AdmissionRow) => row.account_id, String);
  }

  /** The account that id and secret name together. */
  async bySecret(accountId: string, secretKey: string): Promise<SignInRow | undefined> {
    const [row] = await this.database.reads.rows<SignInRow>(SIGN_IN, [accountId, this.hashOfSecret(secretKey)]);
    return row;
  }

  /** The active supplier whose API key it is, as of now: a key that was replaced is nobody's. */
  async bySupplierKey(key: string): Promise<SupplierKeyRow | undefined> {
    const [row] = await this.database.reads.rows<SupplierKeyRow>(BY_SUPPLIER_KEY, [this.hashOfSecret(key)]);
    return row;
  }

  /** Which of these API keys have not been replaced. */
  async liveSupplierKeys(keyIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.reads.rows<{ id: string }>(LIVE_SUPPLIER_KEYS, [keyIds]);
    return rows.map(({ id }) => id);
  }

  /** Accounts by identifier, after one. */
  accounts(first: number, after: string | null): Promise<[AccountEntity[], number]> {
    const accounts = this.database.source.getRepository(AccountEntity);
    const page = accounts.createQueryBuilder('account').orderBy('account.accountId').limit(first);
    if (after !== null) page.where('account.accountId > :after', { after });
    return Promise.all([page.getMany(), accounts.count()]);
  }

  /** An account by its id. */
  account(accountId: string): Promise<AccountEntity | null> {
    return this.database.source.getRepository(AccountEntity).findOneBy({ accountId });
  }

  /** The audit, newest first, before an entry's id. */
  auditEntries(first: number, before: string | null): Promise<AuditEntryEntity[]> {
    const entries = this.database.source
      .getRepository(AuditEntryEntity)
      .createQueryBuilder('entry')
      .orderBy('entry.id', 'DESC')
      .limit(first);
    return (before === null ? entries : entries.where('entry.id < :before', { before })).getMany();
  }

  /** Onboards an account; its secret is returned here and never again. VAL003 when its `mpid` is in use. */
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
        ...presentSettings(settings),
      });
      const secretKey = await this.addSecret(manager, accountId, 'sign-in');
      return {
        subject: accountId,
        detail: { role },
        result: { account: await lockedAccount(manager, accountId), secretKey },
      };
    });
    return onboarding.catch((error: unknown) => {
      throw mpidInUse(error) ?? error;
    });
  }

  /** Issues a new secret; the old one works for 24 hours more. */
  rotateSecret(actor: string, accountId: string): Promise<{ account: AccountEntity; secretKey: string }> {
    return this.audited(actor, 'rotate-secret', async (manager) => {
      const account = await lockedAccount(manager, accountId);
      await manager.query(
        `update account_secret set valid_until = register_now() + interval '${ROTATION_OVERLAP}'
         where account_id = $1 and kind = 'sign-in' and valid_until is null`,
        [accountId],
      );
      const secretKey = await this.addSecret(manager, accountId, 'sign-in');
      return { subject: accountId, detail: {}, result: { account, secretKey } };
    });
  }

  /** Issues the API key of a supplier (Interface D); the old one ends at once. */
  issueSupplierApiKey(actor: string, accountId: string): Promise<{ account: AccountEntity; secretKey: string }> {
    return this.audited(actor, 'issue-supplier-api-key', async (manager) => {
      const account = await lockedSupplier(manager, accountId);
      await manager.query(
        `update account_secret set valid_until = register_now() where account_id = $1 and kind = 'supplier-api' and valid_until is null`,
        [accountId],
      );
      const secretKey = await this.addSecret(manager, accountId, 'supplier-api');
      return { subject: accountId, detail: {}, result: { account, secretKey } };
    });
  }

  /** Suspends, reactivates or terminates; CNF001 when the status does not allow it, or nobody would be left to undo it. */
  changeStatus(actor: string, accountId: string, change: StatusChange): Promise<AccountEntity> {
    return this.audited(actor, change, async (manager) => {
      await keepOneAdmin(manager, accountId, change);
      const { status } = await lockedAccount(manager, accountId);
      const { from, to } = STATUS_CHANGES[change];
      if (!from.includes(status)) throw new RegisterError('CNF001', `The account is ${status}.`);
      await manager.query(
        `update account set status = $2, suspended_at = case when $2 = 'suspended' then register_now() end where account_id = $1`,
        [accountId, to],
      );
      await followStanding(manager, accountId, change);
      return { subject: accountId, detail: { to }, result: await lockedAccount(manager, accountId) };
    });
  }

  /** Sets fields of an account; a Data User that is known by another name claims what was discovered of it. */
  set(actor: string, accountId: string, settings: AccountSettings): Promise<AccountEntity> {
    return this.audited(actor, 'set', async (manager) => {
      const before = await lockedAccount(manager, accountId);
      await manager.update(AccountEntity, { accountId }, settings as Partial<AccountEntity>);
      const after = await lockedAccount(manager, accountId);
      const claimed = isNaming(settings) ? await claimedBy(manager, after) : 0;
      const detail = { ...changed(before, after, settings), ...(claimed > 0 ? { claimed } : {}) };
      return { subject: accountId, detail, result: after };
    });
  }

  /** Withdraws or restores the right of a Data User to assert `verified`; CNF001 when nothing would change. */
  setVerificationRight(actor: string, accountId: string, right: 'withdraw' | 'restore'): Promise<AccountEntity> {
    return this.audited(actor, `${right}-verification-right`, async (manager) => {
      const { role, verificationWithdrawnAt } = await lockedAccount(manager, accountId);
      if (role !== 'data_user') throw new RegisterError('CNF001', 'Only Data Users assert `verified`.');
      const isWithdrawn = verificationWithdrawnAt !== null;
      if (isWithdrawn === (right === 'withdraw'))
        throw new RegisterError('CNF001', `The right is ${isWithdrawn ? 'withdrawn already' : 'not withdrawn'}.`);
      const text = `update account set verification_withdrawn_at = case when $2 then register_now() end where account_id = $1`;
      await manager.query(text, [accountId, right === 'withdraw']);
      return { subject: accountId, detail: {}, result: await lockedAccount(manager, accountId) };
    });
  }

  /** Sets the OpenID Connect client of a supplier; the client secret is kept sealed, and out of the audit. */
  setSupplierOAuth(actor: string, accountId: string, oauthIssuer: string, oauthClientId: string, clientSecret: string) {
    return this.audited(actor, 'set-supplier-oauth', async (manager) => {
      const before = await lockedSupplier(manager, accountId);
      const oauthClientSecret = seal(this.sealingKey, clientSecret, accountId);
      const settings = { oauthIssuer, oauthClientId };
      await manager.update(AccountEntity, { accountId }, { ...settings, oauthClientSecret });
      const after = await lockedAccount(manager, accountId);
      return { subject: accountId, detail: changed(before, after, settings), result: after };
    });
  }

  /** Writes down what was done beside an account, such as moving the register's clock. */
  async note(actor: string, action: string, subject: string, detail: Record<string, unknown>): Promise<void> {
    await this.database.source
      .getRepository(AuditEntryEntity)
      .insert({ actor, action, subject, detail: detail as never });
  }

  /** One transaction: the change and its line in the audit. */
  private audited<Result>(
    actor: string,
    action: string,
    change: (manager: EntityManager) => Promise<{ subject: string; detail: Record<string, unknown>; result: Result }>,
  ): Promise<Result> {
    return this.database.source.transaction(async (manager) => {
      const { subject, detail, result } = await change(manager);
      await manager.insert(AuditEntryEntity, { actor, action, subject, detail: detail as never });
      return result;
    });
  }

  private async addSecret(
    manager: EntityManager,
    accountId: string,
    kind: AccountSecretEntity['kind'],
  ): Promise<string> {
    const secretKey = `sk_${randomBytes(32).toString('base64url')}`;
    await manager.insert(AccountSecretEntity, {
      accountId,
      kind,
      secretHash: this.hashOfSecret(secretKey),
      validUntil: null,
    });
    return secretKey;
  }
}

/** Absent settings take the defaults of their columns. */
function presentSettings({ returnUrls, dataTypesSupported, ...settings }: Omit<AccountInput, 'role' | 'mpid'>) {
  return { ...settings, returnUrls: returnUrls ?? [], dataTypesSupported: dataTypesSupported ?? [] };
}

/** Whether settings are among those by which the communications operator knows an organisation (2-decisions-a-b.md, section 5). */
function isNaming(settings: AccountSettings): boolean {
  return 'organisationReference' in settings || 'displayName' in settings;
}

/** Claims what was discovered of an organisation where it has ACTIVE records; how many records that were. */
async function claimedBy(manager: EntityManager, { duid }: AccountEntity): Promise<number> {
  if (duid === null) return 0;
  const [row] = await manager.query<{ claimed: number }[]>('select claim_discovered_of($1) as claimed', [duid]);
  return row?.claimed ?? 0;
}

/** What the audit says of settings: each as it was and as it is. */
function changed(before: AccountEntity, after: AccountEntity, settings: AccountSettings) {
  const names = Object.keys(settings) as (keyof AccountSettings)[];
  const valuesOf = (account: AccountEntity) => Object.fromEntries(names.map((name) => [name, account[name]]));
  return { from: valuesOf(before), to: valuesOf(after) };
}
