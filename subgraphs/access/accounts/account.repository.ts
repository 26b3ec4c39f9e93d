import type { AuditAction } from '../../../schema/audit-actions';
import { newIdentifier } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import { addAuditEntry } from '../../server/audit/audit.repository';
import type { Database } from '../../server/database/database';
import { type Session, inTransaction, onlyRow } from '../../server/database/transaction';
import type { KeyedHash } from '../../server/keyed-hash';
import { storedFingerprint } from '../../server/damaged-values';
import { encryptValue } from '../../server/encryption';
import { requestClaims } from '../operator/pending-claim.repository';
import {
  type Account,
  type AccountFilter,
  type AccountInput,
  type AccountSettings,
  STATUS_CHANGES,
  type StatusChange,
  changedSettings,
  hasDuid,
  isNaming,
  withLists,
} from './account';
import { clientSecretOf, replaceSecret, revokeTokens, shortened } from './account-secret.repository';
import {
  addSecret,
  requireRemainingAdmin,
  lockedAccount,
  lockedSupplier,
  mpidInUse,
  updateDeliveries,
} from './locked-account.repository';
import { ACCOUNT_COLUMNS, insertAccount, storeSettings, updateAccount } from './stored-account.repository';

const CLOCK_OFFSET = 'select round(extract(epoch from register_now() - statement_timestamp()))::int as seconds';

/** SQL: the accounts that a filter selects. */
const MATCHING = `($1::text is null or strpos(lower(display_name), lower($1)) > 0 or $1 in (account_id, duid, mpid))
  and ($2::text[] is null or account_id = any($2) or duid = any($2) or mpid = any($2))`;

/** Administration of accounts in audited transactions. */
export class AccountRepository {
  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly hashOfSecret: KeyedHash,
    private readonly encryptionKey: Buffer,
  ) {}

  /** Returns the accounts that match a filter, by identifier. */
  async accounts(first: number, after: string | null, { text = null, ids = null }: AccountFilter): Promise<Account[]> {
    const statement = `select ${ACCOUNT_COLUMNS} from account where ${MATCHING} and account_id > $3 order by account_id limit $4`;
    return (await this.database.pool.query<Account>(statement, [text, ids, after ?? '', first])).rows;
  }

  /** Returns the number of accounts that match a filter; without one, of all. */
  async count({ text = null, ids = null }: AccountFilter = {}): Promise<number> {
    const statement = `select count(*)::int as total from account where ${MATCHING}`;
    return onlyRow(await this.database.pool.query<{ total: number }>(statement, [text, ids])).total;
  }

  /** Returns an account by its id. */
  async account(accountId: string): Promise<Account | null> {
    const text = `select ${ACCOUNT_COLUMNS} from account where account_id = $1`;
    return (await this.database.pool.query<Account>(text, [accountId])).rows[0] ?? null;
  }

  /** Onboards an account and returns its secret, which cannot be read later. Throws VAL003 if its `mpid` is in use. */
  async onboard(
    actor: string,
    { mpid, role, ...settings }: AccountInput,
  ): Promise<{ account: Account; secretKey: string }> {
    const onboarding = this.audited(actor, 'onboard', async (session) => {
      const accountId = newIdentifier('acc');
      const duid = hasDuid(role) ? newIdentifier('duid') : null;
      const account = await insertAccount(session, {
        accountId,
        role,
        duid,
        mpid: mpid ?? null,
        ...withLists(settings),
      });
      const secretKey = await addSecret(session, accountId, 'sign-in', this.hashOfSecret);
      const to = { role, mpid, ...withLists(settings), secret: shortened(this.hashOfSecret(secretKey)) };
      return { subject: accountId, detail: { from: null, to }, result: { account, secretKey } };
    });
    return onboarding.catch((error: unknown) => Promise.reject(mpidInUse(error) ?? error));
  }

  /**
   * Issues a new secret for sign-in. The previous one remains valid for 24 hours; if `revokePrevious`, all earlier secrets and all bearer
   * tokens are rejected as soon as this commits.
   */
  rotateSecret(
    actor: string,
    accountId: string,
    revokePrevious = false,
  ): Promise<{ account: Account; secretKey: string }> {
    return this.audited(actor, 'rotate-secret', async (session) => {
      const account = await lockedAccount(session, accountId);
      const replacement = { kind: 'sign-in', revokePrevious } as const;
      const { secretKey, from, to } = await replaceSecret(session, accountId, replacement, this.hashOfSecret);
      const result = { account, secretKey };
      if (!revokePrevious) return { subject: accountId, detail: { from, to }, result };
      const series = await revokeTokens(session, accountId);
      const detail = { from: { ...from, tokenSeries: series.from }, to: { ...to, tokenSeries: series.to } };
      return { subject: accountId, detail, result };
    });
  }

  /** Issues the API key of a supplier (Interface D); the previous key becomes invalid. */
  issueSupplierApiKey(actor: string, accountId: string): Promise<{ account: Account; secretKey: string }> {
    return this.audited(actor, 'issue-supplier-api-key', async (session) => {
      const account = await lockedSupplier(session, accountId);
      const replacement = { kind: 'supplier-api', revokePrevious: true } as const;
      const { secretKey, ...detail } = await replaceSecret(session, accountId, replacement, this.hashOfSecret);
      return { subject: accountId, detail, result: { account, secretKey } };
    });
  }

  /**
   * Suspends, reactivates or terminates an account. Throws CNF001 if its status does not allow the change, or if no active admin would
   * remain.
   */
  changeStatus(actor: string, accountId: string, change: StatusChange): Promise<Account> {
    return this.audited(actor, change, async (session) => {
      await requireRemainingAdmin(session, accountId, change);
      const { status } = await lockedAccount(session, accountId);
      const { from: allowed, to } = STATUS_CHANGES[change];
      if (!allowed.includes(status)) throw new RegisterError('CNF001', `The account is ${status}.`);
      const assignments = `status = $2, suspended_at = case when $2 = 'suspended' then register_now() end`;
      await updateDeliveries(session, accountId, change);
      const result = await updateAccount(session, accountId, assignments, [to]);
      return { subject: accountId, detail: { from: { status }, to: { status: to } }, result };
    });
  }

  /** Sets fields of an account. By a new name or reference a Data User claims the DISCOVERED records of that organisation, soon after. */
  set(actor: string, accountId: string, settings: AccountSettings): Promise<Account> {
    return this.audited(actor, 'set', async (session) => {
      const before = await lockedAccount(session, accountId);
      const after = await storeSettings(session, accountId, settings);
      if (after.duid !== null && isNaming(settings)) await requestClaims(session, after.duid);
      return { subject: accountId, detail: changedSettings(before, after, settings), result: after };
    });
  }

  /** Withdraws or restores the right of a Data User to assert `verified`. Throws CNF001 if nothing would change. */
  setVerificationRight(actor: string, accountId: string, right: 'withdraw' | 'restore'): Promise<Account> {
    return this.audited(actor, `${right}-verification-right`, async (session) => {
      const { role, verificationWithdrawnAt } = await lockedAccount(session, accountId);
      if (role !== 'data_user') throw new RegisterError('CNF001', 'Only Data Users assert `verified`.');
      const isWithdrawn = verificationWithdrawnAt !== null;
      if (isWithdrawn === (right === 'withdraw'))
        throw new RegisterError('CNF001', `The right is ${isWithdrawn ? 'withdrawn already' : 'not withdrawn'}.`);
      const assignments = 'verification_withdrawn_at = case when $2 then register_now() end';
      const result = await updateAccount(session, accountId, assignments, [right === 'withdraw']);
      const detail = { from: { isWithdrawn }, to: { isWithdrawn: !isWithdrawn } };
      return { subject: accountId, detail, result };
    });
  }

  /** Sets the OpenID Connect client of a supplier. Its secret is stored encrypted; the audit has its fingerprint. */
  setSupplierOAuth(actor: string, accountId: string, oauthIssuer: string, oauthClientId: string, clientSecret: string) {
    return this.audited(actor, 'set-supplier-oauth', async (session) => {
      const before = await lockedSupplier(session, accountId);
      const formerSecret = await clientSecretOf(session, accountId, this.encryptionKey);
      const oauthClientSecret = encryptValue(this.encryptionKey, clientSecret, accountId);
      const assignments = 'oauth_issuer = $2, oauth_client_id = $3, oauth_client_secret = $4';
      const values = [oauthIssuer, oauthClientId, oauthClientSecret];
      const after = await updateAccount(session, accountId, assignments, values);
      const { from, to } = changedSettings(before, after, { oauthIssuer, oauthClientId });
      const secretOf = (secret: string | null | undefined) => ({
        secret: secret === null ? null : storedFingerprint(secret, (each) => shortened(this.hashOfSecret(each))),
      });
      const detail = { from: { ...from, ...secretOf(formerSecret) }, to: { ...to, ...secretOf(clientSecret) } };
      return { subject: accountId, detail, result: after };
    });
  }

  /** Moves the register's clock: sets its offset from the system time in seconds. */
  async moveClock(actor: string, seconds: number): Promise<void> {
    await this.audited(actor, 'set-clock-offset', async (session) => {
      const from = onlyRow(await session.query<{ seconds: number }>(CLOCK_OFFSET));
      await session.query('select register.set_clock_offset($1)', [seconds]);
      return { subject: 'register', detail: { from, to: { seconds } }, result: undefined };
    });
  }

  /** Makes a change and its entry in the audit in one transaction. */
  private audited<Result>(
    actor: string,
    action: AuditAction,
    change: (session: Session) => Promise<{ subject: string; detail: Record<string, unknown>; result: Result }>,
  ): Promise<Result> {
    return inTransaction(this.database.pool, async (session) => {
      const { subject, detail, result } = await change(session);
      await addAuditEntry(session, { actor, action, subject, detail });
      return result;
    });
  }
}
