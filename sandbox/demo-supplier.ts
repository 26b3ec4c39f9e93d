import { randomBytes } from 'node:crypto';
import type { AccountRepository } from '../subgraphs/access/database/account.repository';
import type { DemoData } from './demo-data';
import type { RunningSupplier } from './supplier';

/** With what a demo customer signs in at the supplier, as `sandbox.json` lists it. */
export interface SupplierCredentials {
  readonly oidc_login: string;
  readonly oidc_password: string;
}

/** Credentials of a new customer of the supplier. */
export function supplierCredentials(email: string): SupplierCredentials {
  const [login = ''] = email.split('@');
  return { oidc_login: login, oidc_password: randomBytes(12).toString('base64url') };
}

/** The demo customers as the supplier knows them; those of an earlier version of the sandbox become its customers now. */
export function withSupplierCredentials(demo: DemoData): DemoData {
  return {
    ...demo,
    customers: demo.customers.map((customer) => ({ ...supplierCredentials(customer.email), ...customer })),
  };
}

/** Makes the demo supplier one at which the demo customers sign in; at each start anew, since its address and secret change. */
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
