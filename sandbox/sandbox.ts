import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountRole } from '../schema/roles';
import type { AccountRepository } from '../subgraphs/access/database/account.repository';
import {
  type ClientOf,
  type DemoAccount,
  type DemoData,
  createDemoData,
  discoveredAccess,
  signedIn,
} from './demo-data';
import { publishDemoGrid } from './demo-grid';
import { type DemoRtiUser, offerTariffSharing } from './demo-rti';
import { offerSupplierSignIn, withSupplierCredentials } from './demo-supplier';
import { publishDemoTariffs } from './demo-tariffs';
import { graphqlClient } from './graphql-client';
import type { RunningSupplier } from './supplier';

/** What `sandbox.json` of every version has. */
type RecordedData = Omit<DemoData, 'grid' | 'tariff' | 'rti_users'>;

/** Where the sandbox is, and by what its first admin is made. */
export interface SandboxParts {
  readonly dataDir: string;
  readonly urls: SandboxUrls;
  /** Where the captured mails are shown; undefined when mails are really sent. */
  readonly mailbox: string | undefined;
  readonly accounts: AccountRepository;
  /** The supplier at which the demo customers sign in. */
  readonly supplier: Omit<RunningSupplier, 'close'>;
}

/** Addresses of what people use. */
export interface SandboxUrls {
  readonly gateway: string;
  readonly rest: string;
  readonly portal: string;
  /** The live page of the back office. */
  readonly console: string;
  /** The ceremony pages. */
  readonly identity: string;
}

/** `sandbox.json`, the start contract (architecture, "How it starts"): where everything is, demo logins, sample keys. */
interface SandboxFile extends DemoData {
  readonly urls: SandboxUrls & { readonly oidc: string };
  readonly mailbox?: string;
}

/**
 * Fills a register that was never filled with demo data, through the same mutations that users use, and writes `sandbox.json` (mode
 * 0600). Only the first admin is made directly, as `npm run admin -- create-admin` makes it, and the supplier's client is set so:
 * at each start, also when the admin has another secret by now.
 */
export async function loadSandbox({ dataDir, urls, mailbox, accounts, supplier }: SandboxParts): Promise<DemoData> {
  const file = join(dataDir, 'sandbox.json');
  const kept = await keptDemoData(file, accounts);
  const clientOf: ClientOf = (token) => graphqlClient(urls.gateway, token);
  const made = kept ? await completed(kept, clientOf) : await createDemoData(await firstAdmin(accounts), clientOf);
  const published = await publishedData(made, { urls, supplier, clientOf });
  const demo = withSupplierCredentials({ ...made, ...published });
  await offerSupplierSignIn(demo, supplier, accounts);
  writeWhole(file, {
    ...demo,
    urls: { ...urls, oidc: supplier.issuer },
    ...(mailbox === undefined ? {} : { mailbox }),
  });
  tellLogins(file, demo);
  tellCustomers(urls, mailbox, demo);
  return demo;
}

/** What is there at each start: grid models, tariffs, and the RTI Users with which customers share theirs. */
async function publishedData(
  made: RecordedData & { readonly rti_users?: readonly DemoRtiUser[] },
  { urls, supplier, clientOf }: Pick<SandboxParts, 'urls' | 'supplier'> & { readonly clientOf: ClientOf },
): Promise<Pick<DemoData, 'grid' | 'tariff' | 'rti_users'>> {
  const accountOf = (role: AccountRole) => made.accounts.find((account) => account.role === role) as DemoAccount;
  const asAdmin = await signedIn(accountOf('admin'), clientOf);
  const grid = await publishDemoGrid(asAdmin, urls.rest);
  const { name, mpid = '' } = accountOf('supplier');
  const tariff = await publishDemoTariffs({
    asAdmin,
    asSupplier: await signedIn(accountOf('supplier'), clientOf),
    supplier: { mpid, name },
    mpxns: made.customers.map(({ mpxn }) => mpxn),
    restUrl: urls.rest,
  });
  return { grid, tariff, rti_users: await offerTariffSharing({ asAdmin, mpid, supplier, kept: made.rti_users }) };
}

/** The demo data of an earlier start, if the database still has all its accounts and lets them in. */
async function keptDemoData(file: string, accounts: AccountRepository): Promise<RecordedData | undefined> {
  if (!existsSync(file)) return undefined;
  const { urls: _, mailbox: __, ...demo } = JSON.parse(readFileSync(file, 'utf8')) as SandboxFile;
  const kept = await Promise.all(demo.accounts.map(({ account_id: id }) => accounts.account(id)));
  return kept.length > 0 && kept.every((account) => account?.status === 'active') ? demo : undefined;
}

/** Demo data of an earlier version have no discovered access. */
async function completed(demo: RecordedData, clientOf: ClientOf): Promise<RecordedData> {
  const { samples } = demo;
  const known: Partial<typeof samples.access_keys> = samples.access_keys;
  if (known.discovered !== undefined) return demo;
  const discovered = await discoveredAccess(demo.accounts, clientOf);
  return { ...demo, samples: { ...samples, access_keys: { ...samples.access_keys, discovered } } };
}

async function firstAdmin(accounts: AccountRepository): Promise<DemoAccount> {
  const name = 'Register Back Office';
  const { account, secretKey } = await accounts.onboard('sandbox', { role: 'admin', displayName: name });
  return { name, role: 'admin', account_id: account.accountId, secret_key: secretKey };
}

/** Written beside and renamed: whoever reads it reads all of it. */
function writeWhole(file: string, sandbox: SandboxFile): void {
  writeFileSync(`${file}.new`, JSON.stringify(sandbox, null, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function tellLogins(file: string, { accounts, samples }: DemoData): void {
  console.log('Demo logins (account id, secret key):');
  for (const { name, role, account_id, secret_key } of accounts) {
    console.log(`  ${role.padEnd(24)} ${account_id} ${secret_key}  ${name}`);
  }
  console.log(`Sample access key: ${samples.access_keys.active}\nAll logins and keys: ${file}`);
}

/** Where to begin as a customer, and the one of them who signs in at the supplier. */
function tellCustomers({ portal }: SandboxUrls, mailbox: string | undefined, { customers }: DemoData): void {
  const [first, last] = [customers[0], customers.at(-1)];
  if (first === undefined || last === undefined) return;
  console.log(`Customer portal: ${portal}/?mpxn=${first.mpxn} (mails: ${mailbox ?? 'really sent'})`);
  console.log(`Supplier sign-in: ${portal}/?mpxn=${last.mpxn} as ${last.oidc_login} ${last.oidc_password}`);
}
