import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountRole } from '../schema/roles';
import type { AccountRepository } from '../subgraphs/access/accounts/account.repository';
import { type ClientOf, signedIn } from './demo-accounts';
import { createDemoData, discoveredAccess } from './demo-data';
import type { DemoAccount, DemoData } from './sandbox-file';
import { DEMO_GRID, SAMPLE_PROJECT, publishDemoGrid } from './demo-grid';
import { type DemoRtiUser, offerTariffSharing } from './demo-rti';
import { offerSupplierSignIn, withSupplierCredentials } from './demo-supplier';
import { DEMO_TARIFFS, publishDemoTariffs, sampleTariff } from './demo-tariffs';
import { graphqlClient } from './graphql-client';
import type { RunningSupplier } from './supplier/supplier';

/** The part of the demo data that `sandbox.json` of every version contains. */
type RecordedData = Omit<DemoData, 'grid' | 'tariff' | 'rti_users'>;

/** File of the data folder while demo data are loaded: a start that was interrupted is distinguished from a restore. */
const STARTED_FILE = 'demo-data.started';

/** File of the data folder with a hash of what earlier starts published, so that a start need not check each publication. */
const PUBLISHED_FILE = 'demo-data.published';

const withoutDemoData = (file: string) =>
  `No demo data: the register has accounts, but ${file} with the demo logins is missing. Copy it from the data folder that was backed up.`;

/** Inputs of {@link loadSandbox}. */
export interface SandboxOptions {
  readonly dataDir: string;
  readonly urls: SandboxUrls;
  /** URL of the captured mails; undefined if a mail server sends them. */
  readonly mailbox: string | undefined;
  /** Creates the first admin. */
  readonly accounts: AccountRepository;
  /** The supplier at which the demo customers sign in. */
  readonly supplier: Omit<RunningSupplier, 'close'>;
}

/** URLs of the services that users call. */
export interface SandboxUrls {
  readonly gateway: string;
  readonly rest: string;
  readonly portal: string;
  /** The console of the back office. */
  readonly console: string;
  /** The re-identification pages. */
  readonly identity: string;
}

/** Contents of `sandbox.json`: URLs, demo logins and sample keys. */
interface SandboxFile extends DemoData {
  readonly urls: SandboxUrls & { readonly oidc: string };
  readonly mailbox?: string;
}

/**
 * Loads demo data into a new register through the mutations that users call, and writes `sandbox.json` (mode 0600). Two
 * things bypass the mutations: the first admin, as in `npm run admin -- create-admin`, and the supplier's OAuth client,
 * which is set at each start even if the admin's secret has changed. Loads nothing into a register that has accounts but
 * no `sandbox.json`, such as a restored one.
 */
export async function loadSandbox(options: SandboxOptions): Promise<DemoData | undefined> {
  const { dataDir, urls, mailbox, accounts, supplier } = options;
  const file = join(dataDir, 'sandbox.json');
  const started = join(dataDir, STARTED_FILE);
  const stored = await storedDemoData(file, accounts);
  if (!existsSync(file) && !existsSync(started) && (await accounts.count()) > 0) {
    console.log(withoutDemoData(file));
    return undefined;
  }
  if (stored === undefined) writeFileSync(started, '');
  const clientOf: ClientOf = (token) => graphqlClient(urls.gateway, token);
  const records = stored
    ? await withDiscoveredAccess(stored, clientOf)
    : await createDemoData(await firstAdmin(accounts), clientOf);
  const published = await publishedData(records, { dataDir, urls, supplier, clientOf, isNew: stored === undefined });
  const demo = withSupplierCredentials({ ...records, ...published });
  await offerSupplierSignIn(demo, supplier, accounts);
  writeAtomically(file, {
    ...demo,
    urls: { ...urls, oidc: supplier.issuer },
    ...(mailbox === undefined ? {} : { mailbox }),
  });
  rmSync(started, { force: true });
  printLogins(file, demo);
  printCustomers(urls, mailbox, demo);
  return demo;
}

/** Inputs of the publications. */
interface Publication extends Pick<SandboxOptions, 'dataDir' | 'urls' | 'supplier'> {
  readonly clientOf: ClientOf;
  /** True if the demo data are created at this start. */
  readonly isNew: boolean;
}

/**
 * Publishes what is missing at a start: grid models and tariffs unless an earlier start published the same, and the RTI
 * Users with which customers share their tariffs.
 */
async function publishedData(
  records: RecordedData & { readonly rti_users?: readonly DemoRtiUser[] },
  { dataDir, urls, supplier, clientOf, isNew }: Publication,
): Promise<Pick<DemoData, 'grid' | 'tariff' | 'rti_users'>> {
  const accountOf = (role: AccountRole) => records.accounts.find((account) => account.role === role) as DemoAccount;
  const asAdmin = await signedIn(accountOf('admin'), clientOf);
  const { name, mpid = '' } = accountOf('supplier');
  const file = join(dataDir, PUBLISHED_FILE);
  const publications = createHash('sha256')
    .update(JSON.stringify([DEMO_GRID, DEMO_TARIFFS]))
    .digest('hex');
  const earlier = !isNew && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (earlier !== publications) {
    await publishDemoGrid(asAdmin, urls.rest);
    await publishDemoTariffs({
      asAdmin,
      asSupplier: await signedIn(accountOf('supplier'), clientOf),
      supplier: { mpid, name },
      mpxns: records.customers.map(({ mpxn }) => mpxn),
      restUrl: urls.rest,
    });
    writeFileSync(file, publications);
  }
  const rtiUsers = await offerTariffSharing({ asAdmin, mpid, supplier, stored: records.rti_users });
  return { grid: SAMPLE_PROJECT, tariff: sampleTariff(mpid), rti_users: rtiUsers };
}

/** Returns the demo data of an earlier start if the database still contains all its accounts and they are active. */
async function storedDemoData(file: string, accounts: AccountRepository): Promise<RecordedData | undefined> {
  if (!existsSync(file)) return undefined;
  const { urls: _, mailbox: __, ...demo } = JSON.parse(readFileSync(file, 'utf8')) as SandboxFile;
  const stored = await Promise.all(demo.accounts.map(({ account_id: id }) => accounts.account(id)));
  return stored.length > 0 && stored.every((account) => account?.status === 'active') ? demo : undefined;
}

/** Adds the discovered access, which demo data of an earlier version do not contain. */
async function withDiscoveredAccess(demo: RecordedData, clientOf: ClientOf): Promise<RecordedData> {
  const { samples } = demo;
  const present: Partial<typeof samples.access_keys> = samples.access_keys;
  if (present.discovered !== undefined) return demo;
  const discovered = await discoveredAccess(demo.accounts, clientOf);
  return { ...demo, samples: { ...samples, access_keys: { ...samples.access_keys, discovered } } };
}

async function firstAdmin(accounts: AccountRepository): Promise<DemoAccount> {
  const name = 'Register Back Office';
  const { account, secretKey } = await accounts.onboard('sandbox', { role: 'admin', displayName: name });
  return { name, role: 'admin', account_id: account.accountId, secret_key: secretKey };
}

/** Writes a temporary file and renames it, so that a reader never sees a part of the file. */
function writeAtomically(file: string, sandbox: SandboxFile): void {
  writeFileSync(`${file}.new`, JSON.stringify(sandbox, null, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function printLogins(file: string, { accounts, samples }: DemoData): void {
  console.log('Demo logins (account id, secret key):');
  for (const { name, role, account_id, secret_key } of accounts) {
    console.log(`  ${role.padEnd(24)} ${account_id} ${secret_key}  ${name}`);
  }
  console.log(`Sample access key: ${samples.access_keys.active}\nAll logins and keys: ${file}`);
}

/** Prints the portal link of the first customer, and the login of the customer who signs in at the supplier. */
function printCustomers({ portal }: SandboxUrls, mailbox: string | undefined, { customers }: DemoData): void {
  const [first, last] = [customers[0], customers.at(-1)];
  if (first === undefined || last === undefined) return;
  console.log(`Customer portal: ${portal}/?mpxn=${first.mpxn} (mails: ${mailbox ?? 'sent by SMTP_URL'})`);
  console.log(`Supplier sign-in: ${portal}/?mpxn=${last.mpxn} as ${last.oidc_login} ${last.oidc_password}`);
}
