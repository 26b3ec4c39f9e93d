import type { AccountRole } from '../../../schema/roles';
import type { Database } from '../../server/database/database';
import type { KeyedHash } from '../../server/keyed-hash';
import type { AccountStatus } from './account';

/** Columns of an account that every request reads. They are never cached. */
export interface AdmissionRow {
  readonly account_id: string;
  readonly role: AccountRole;
  readonly duid: string | null;
  readonly mpid: string | null;
  readonly status: AccountStatus;
  readonly token_series: string | null;
  readonly now: Date;
}

/** Columns of an account that signs in. */
type SignInRow = AdmissionRow;

const ADMISSION = {
  name: 'admission',
  text: `select account_id, role, duid, mpid, status, token_series, register_now() as now from account
    where account_id = any($1)`,
};

const SIGN_IN = {
  name: 'sign_in',
  text: `select account_id, role, duid, mpid, status, token_series, register_now() as now from account
    join account_secret using (account_id)
    where account_id = $1 and kind = 'sign-in' and secret_hash = $2 and (valid_until is null or valid_until > register_now())`,
};

/** The supplier whose API key a request contains. */
interface SupplierKeyRow {
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

/** Sign-in of accounts and admission of their requests. Nothing is cached. */
export class AccountAdmission {
  /** Returns the current status and claims of an account. */
  readonly admission: (accountId: string) => Promise<AdmissionRow | undefined>;

  constructor(
    private readonly database: Pick<Database, 'reads'>,
    private readonly hashOfSecret: KeyedHash,
  ) {
    this.admission = database.reads.byKey(ADMISSION, (row: AdmissionRow) => row.account_id, String);
  }

  /** Returns the account with this id and secret. */
  async bySecret(accountId: string, secretKey: string): Promise<SignInRow | undefined> {
    const [row] = await this.database.reads.rows<SignInRow>(SIGN_IN, [accountId, this.hashOfSecret(secretKey)]);
    return row;
  }

  /** Returns the active supplier with this API key; undefined for an unknown or replaced key. */
  async bySupplierKey(key: string): Promise<SupplierKeyRow | undefined> {
    const [row] = await this.database.reads.rows<SupplierKeyRow>(BY_SUPPLIER_KEY, [this.hashOfSecret(key)]);
    return row;
  }

  /** Returns the ids of the given API keys that are still current. */
  async liveSupplierKeys(keyIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.reads.rows<{ id: string }>(LIVE_SUPPLIER_KEYS, [keyIds]);
    return rows.map(({ id }) => id);
  }
}
