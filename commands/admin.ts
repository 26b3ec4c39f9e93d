import {
  type CommandLine,
  type CommandOptions,
  exitWithFailure,
  readCommandLine,
  unexpected,
  usageError,
} from './command-line';
import { completeKeys, newKeyVariables, sandboxedSettings } from '../sandbox/keys';
import { settingsViolations } from '../subgraphs/access/accounts/account';
import { accessAddress, openAccounts } from '../subgraphs/access/access.module';

const USAGE = `usage: npm run admin -- create-admin --name "Name"   creates the first admin in the database of DATABASE_URL
       npm run admin -- create-keys                   prints a new set of keys, as lines of an environment file`;

/** Runs the operator's commands that are needed before the first sign-in. */
async function main(): Promise<void> {
  const [command = '', ...words] = process.argv.slice(2);
  const options = Object.hasOwn(OPTIONS, command) ? OPTIONS[command] : undefined;
  if (options === undefined) throw usageError(command === '' ? [] : [`${command}: is not a command`], USAGE);
  const { positionals, values, violations } = readCommandLine(words, options);
  const all = [
    ...violations,
    ...('name' in options ? nameViolations(values['name']) : []),
    ...unexpected(positionals, violations),
  ];
  if (all.length > 0) throw usageError(all, USAGE);
  return command === 'create-admin' ? createAdmin(String(values['name'])) : printKeys();
}

/** Returns what is wrong with the name of an admin, by the rules of the graph. */
function nameViolations(displayName: CommandLine['values'][string]): string[] {
  if (displayName === undefined) return ['--name: is missing'];
  if (typeof displayName !== 'string' || displayName === '') return []; // reported as an option without a value
  return settingsViolations({ displayName }, true).map(({ message }) => `--name: ${message}`);
}

/** The commands and their options. */
const OPTIONS: Readonly<Record<string, CommandOptions>> = {
  'create-admin': { name: { type: 'string' } },
  'create-keys': {},
};

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

main().catch(exitWithFailure);
