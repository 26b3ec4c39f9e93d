import { parseArgs } from 'node:util';
import { completeKeys, newKeyVariables, sandboxedSettings } from '../sandbox/keys';
import { commandErrorMessage } from '../process/startup-error';
import { accessAddress, openAccounts } from '../subgraphs/access/access.module';

const USAGE = `usage: npm run admin -- create-admin --name "Name"   creates the first admin in the database of DATABASE_URL
       npm run admin -- create-keys                   prints a new set of keys, as lines of an environment file`;

/** Runs the operator's commands that are needed before the first sign-in. */
async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { name: { type: 'string' } } });
  if (positionals[0] === 'create-keys') return printKeys();
  if (positionals[0] === 'create-admin' && values.name) return createAdmin(values.name);
  throw new Error(USAGE);
}

async function printKeys(): Promise<void> {
  for (const [variable, value] of Object.entries(await newKeyVariables())) console.log(`${variable}='${value}'`);
}

/**
 * Onboards an admin, audited like every onboarding, and prints its login. The secret is not shown again. Needs the
 * environment of the whole register or of the service `access`.
 */
async function createAdmin(displayName: string): Promise<void> {
  const settings = await sandboxedSettings(process.env, true);
  const { access: url = settings.databaseUrl } = settings.serviceDatabaseUrls;
  if (url === undefined) {
    throw new Error(
      'DATABASE_URL is missing. The embedded database of a sandbox already has an admin: see sandbox.json.',
    );
  }
  const { accessHashKey: hashKey, accessEncryptionKey: encryptionKey } = completeKeys(settings.keys, [
    'accessHashKey',
    'accessEncryptionKey',
  ]);
  const keys = { hashKey, encryptionKey };
  const hasOwnLogin = settings.serviceDatabaseUrls.access !== undefined;
  const { accounts, close } = await openAccounts(accessAddress(url, keys, { hasOwnLogin }), keys);
  try {
    const { account, secretKey } = await accounts.onboard('operator', { role: 'admin', displayName });
    console.log(JSON.stringify({ account_id: account.accountId, secret_key: secretKey }));
  } finally {
    await close();
  }
}

main().catch((error: Error) => {
  console.error(error.message.startsWith('usage') ? error.message : commandErrorMessage(error, process.env));
  process.exit(1);
});
