import { type Session, onlyRow } from '../../server/database/transaction';
import type { Account, AccountSettings } from './account';

/** Columns of an account by field. */
const COLUMNS: Readonly<Record<keyof Account, string>> = {
  accountId: 'account_id',
  role: 'role',
  displayName: 'display_name',
  status: 'status',
  registeredAt: 'registered_at',
  suspendedAt: 'suspended_at',
  verificationWithdrawnAt: 'verification_withdrawn_at',
  duid: 'duid',
  mpid: 'mpid',
  contactUrl: 'contact_url',
  privacyUrl: 'privacy_url',
  dataTypesSupported: 'data_types_supported',
  organisationReference: 'organisation_reference',
  returnUrls: 'return_urls',
  oauthIssuer: 'oauth_issuer',
  oauthClientId: 'oauth_client_id',
};

/** SQL: the columns of {@link Account}. */
export const ACCOUNT_COLUMNS = Object.entries(COLUMNS)
  .map(([field, column]) => `${column} as "${field}"`)
  .join(', ');

/** A new account; the database sets the other columns. */
type NewAccount = Pick<Account, 'accountId' | 'role' | 'displayName' | 'duid' | 'mpid'> &
  Pick<Account, 'dataTypesSupported' | 'returnUrls'> &
  Partial<Pick<Account, 'contactUrl' | 'privacyUrl' | 'organisationReference'>>;

const INSERT = `insert into account (account_id, role, display_name, duid, mpid, contact_url, privacy_url, organisation_reference,
    data_types_supported, return_urls)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${ACCOUNT_COLUMNS}`;

/** Inserts an account and returns it. */
export async function insertAccount(session: Session, account: NewAccount): Promise<Account> {
  const { accountId, role, displayName, duid, mpid, contactUrl, privacyUrl, organisationReference } = account;
  const texts = [accountId, role, displayName, duid, mpid, contactUrl, privacyUrl, organisationReference];
  const values = [...texts, account.dataTypesSupported, account.returnUrls];
  return onlyRow(await session.query<Account>(INSERT, values));
}

/** Sets columns of an account (SQL, with parameters from `$2`) and returns it. */
export async function updateAccount(
  session: Session,
  accountId: string,
  assignments: string,
  values: readonly unknown[],
): Promise<Account> {
  const text = `update account set ${assignments} where account_id = $1 returning ${ACCOUNT_COLUMNS}`;
  return onlyRow(await session.query<Account>(text, [accountId, ...values]));
}

/** Stores settings of an account and returns it. */
export function storeSettings(session: Session, accountId: string, settings: AccountSettings): Promise<Account> {
  const names = Object.keys(settings) as (keyof AccountSettings)[];
  const assignments = names.map((name, index) => `${COLUMNS[name]} = $${index + 2}`).join(', ');
  return updateAccount(session, accountId, assignments, Object.values(settings));
}
