import type { AccountRepository } from '../subgraphs/access/accounts/account.repository';
import type { DemoData } from './sandbox-file';
import type { RunningSupplier } from './supplier/supplier';
import { supplierCredentials } from './supplier/supplier-credentials';

/** Adds supplier logins to demo customers that have none, as after a start of an earlier version. */
export function withSupplierCredentials(demo: DemoData): DemoData {
  return {
    ...demo,
    customers: demo.customers.map((customer) => ({ ...supplierCredentials(customer.email), ...customer })),
  };
}

/**
 * Configures the supplier sign-in of the demo supplier. Runs at each start, because the supplier's URL and client
 * secret change.
 */
export async function offerSupplierSignIn(
  { accounts, customers }: DemoData,
  { issuer, client, addLogins }: Omit<RunningSupplier, 'close'>,
  accountRepository: AccountRepository,
): Promise<void> {
  const supplier = accounts.find(({ role }) => role === 'supplier');
  if (supplier === undefined) throw new Error('the demo data has no supplier');
  await accountRepository.setSupplierOAuth('sandbox', supplier.account_id, issuer, client.id, client.secret);
  addLogins(
    customers.map(({ oidc_login: login, oidc_password: password, mpxn }) => ({ login, password, mpxns: [mpxn] })),
  );
}
