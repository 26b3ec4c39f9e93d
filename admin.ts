import { parseArgs } from 'node:util';
import { completeKeys, newKeyVariables, sandboxedSettings } from './sandbox/keys';
import { commandFault } from './process/start-fault';
import { openAccounts } from './subgraphs/access/access';

const USAGE = `usage: npm run admin -- create-admin --name "Name"   the first admin of the database that DATABASE_URL names
       npm run admin -- create-keys                   a fresh set of keys, as lines of an environment file`;

/** Commands of the operator that must work before anybody can sign in. */
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
 * Onboards an admin, audited like every onboarding; the secret is shown here and never again. The environment is that of the whole
 * register, or that of the service `access`.
 */
async function createAdmin(displayName: string): Promise<void> {
  const settings = await sandboxedSettings(process.env);
  if (settings.databaseUrl === undefined) {
    throw new Error(
      'DATABASE_URL is missing. The embedded database of a sandbox has an admin already: see sandbox.json.',
    );
  }
  const { accessHashKey: hashKey, accessEncryptionKey: encryptionKey } = completeKeys(settings.keys, [
    'accessHashKey',
    'accessEncryptionKey',
  ]);
  const { accounts, close } = await openAccounts(settings.databaseUrl, { hashKey, encryptionKey });
  try {
    const { account, secretKey } = await accounts.onboard('operator', { role: 'admin', displayName });
    console.log(JSON.stringify({ account_id: account.accountId, secret_key: secretKey }));
  } finally {
    await close();
  }
}

main().catch((error: Error) => {
  console.error(error.message.startsWith('usage') ? error.message : commandFault(error, process.env));
  process.exit(1);
});
