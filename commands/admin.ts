import 'reflect-metadata';
import {
  type CommandLine,
  type CommandOptions,
  exitWithFailure,
  readCommand,
  unexpected,
  usageError,
} from './command-line';
import { commandLogin } from '../process/database-access';
import { completeKeys } from '../process/settings/keys';
import { newKeyVariables } from '../process/settings/new-keys';
import { sandboxedSettings } from '../sandbox/keys';
import { runningPostgres } from '../sandbox/postgres/running-postgres';
import { RegisterError } from '../schema/register-error';
import { settingsViolations } from '../subgraphs/access/accounts/account';
import type { AccountRepository } from '../subgraphs/access/accounts/account.repository';
import { openAccounts } from '../subgraphs/access/access.module';
import { databaseAddress } from '../subgraphs/server/database/database-login';

const USAGE = `usage: npm run admin -- create-admin --name "Name"   creates the first admin in the database of DATABASE_URL
       npm run admin -- revoke-secret --account ID    replaces a stolen secret; earlier ones and their tokens end at once
       npm run admin -- create-keys                   prints a new set of keys, as lines of an environment file`;

/** Runs the operator's commands that are needed without the sign-in of an admin. */
async function main(): Promise<void> {
  const { command, options, positionals, values, violations } = readCommand(OPTIONS, USAGE);
  const all = [
    ...violations,
    ...Object.keys(options).flatMap((name) => (values[name] === undefined ? [`--${name}: is missing`] : [])),
    ...nameViolations(values['name']),
    ...unexpected(positionals, violations),
  ];
  if (all.length > 0) throw usageError(all, USAGE);
  if (command === 'create-keys') return printKeys();
  const { account, secretKey } = await withAccounts((accounts) =>
    command === 'create-admin'
      ? accounts.onboard('operator', { role: 'admin', displayName: String(values['name']) })
      : accounts.rotateSecret('operator', String(values['account']), true).catch(unknownAccount),
  );
  console.log(JSON.stringify({ account_id: account.accountId, secret_key: secretKey })); // not shown again
}

/** Names the option of an id that no account has. */
function unknownAccount(error: unknown): never {
  const isUnknown = error instanceof RegisterError && error.code === 'NTF001';
  throw isUnknown ? usageError(['--account: there is no account with this id'], USAGE) : error;
}

/** Returns what is wrong with the name of an admin, by the rules of the graph. */
function nameViolations(displayName: CommandLine['values'][string]): string[] {
  if (typeof displayName !== 'string' || displayName === '') return []; // missing, not an option of the command, or without a value
  return settingsViolations({ displayName }, true).map(({ message }) => `--name: ${message}`);
}

/** The commands and their options, all of them required. */
const OPTIONS: Readonly<Record<string, CommandOptions>> = {
  'create-admin': { name: { type: 'string' } },
  'revoke-secret': { account: { type: 'string' } },
  'create-keys': {},
};

async function printKeys(): Promise<void> {
  for (const [variable, value] of Object.entries(newKeyVariables())) console.log(`${variable}='${value}'`);
}

/** Makes a change of accounts, audited like every other. Needs the environment of the whole register or of the service `access`. */
async function withAccounts<Result>(change: (accounts: AccountRepository) => Promise<Result>): Promise<Result> {
  const settings = await sandboxedSettings(process.env, true);
  const { access: given = settings.databaseUrl } = settings.serviceDatabaseUrls;
  const url = given ?? (await runningPostgres(settings.dataDir));
  if (url === undefined) {
    throw new Error(
      `DATABASE_URL is missing, and no register with an embedded database runs in ${settings.dataDir} (DATA_DIR): start it first`,
    );
  }
  const { accessHashKey: hashKey, accessEncryptionKey: encryptionKey } = completeKeys(settings.keys, [
    'accessHashKey',
    'accessEncryptionKey',
  ]);
  const keys = { hashKey, encryptionKey };
  const login = commandLogin(settings, 'access');
  const { accounts, close } = await openAccounts(databaseAddress(url, 'access', hashKey, { login }), keys);
  try {
    return await change(accounts);
  } finally {
    await close();
  }
}

main().catch(exitWithFailure);
