import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { type RestoredSubgraph, restore } from './backup/restore';
import { takeBackup } from './backup/take-backup';
import { startFault } from './process/start-fault';
import { type Settings, readBackupSettings } from './process/settings';
import { completeKeys, sandboxedSettings } from './sandbox/keys';
import { launchPostgres } from './sandbox/postgres/launch-postgres';
import { runningPostgres } from './sandbox/postgres/running-postgres';
import { accessAddress, namedAccessKeys } from './subgraphs/access/access';
import { accessTables } from './subgraphs/access/database/tables';
import { identityTables } from './subgraphs/identity/database/tables';
import { identityAddress, namedIdentityKeys } from './subgraphs/identity/identity';

const USAGE = `usage: npm run backup -- <folder>    register and data keys of the database that DATABASE_URL names, or of the embedded one
       npm run restore -- <folder>   the newest backup of the folder, into an empty database
                                     (--without-data-keys: every identity record is anonymised)`;

/** Backups and restores of the operator. */
async function main(): Promise<void> {
  const options = { 'without-data-keys': { type: 'boolean', default: false } } as const;
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const [command, folder] = positionals;
  if (positionals.length !== 2 || folder === undefined) throw new Error(USAGE);
  if (command === 'backup') return backUp(resolve(folder));
  if (command === 'restore') return restoreFrom(resolve(folder), values['without-data-keys']);
  throw new Error(USAGE);
}

async function backUp(root: string): Promise<void> {
  const settings = readBackupSettings(process.env);
  await inDatabase(settings, async (databaseUrl) => {
    const { register, dataKeys, rows, dataKeysDeleted } = await takeBackup(
      databaseUrl,
      root,
      settings.dataKeysKeptDays,
    );
    console.log(`${rows} rows of the register are in ${register}`);
    console.log(`the data keys are in ${dataKeys}; ${dataKeysDeleted} older backups of data keys were deleted`);
  });
}

async function restoreFrom(root: string, withoutDataKeys: boolean): Promise<void> {
  const settings = await sandboxedSettings({ ...process.env, SERVICES: 'access,identity' });
  const { production } = settings;
  await inDatabase(settings, async (databaseUrl) => {
    const subgraphs = subgraphsOf(settings, databaseUrl);
    const done = await restore({ databaseUrl, root, subgraphs, production, withoutDataKeys });
    console.log(`${done.rows} rows were restored from ${done.register} and ${done.dataKeys ?? 'no data keys'}`);
    console.log(`${done.anonymisedAgain} identity records were anonymised again`);
    console.log(`${done.withoutDataKey} identity records had no data key any more: they were anonymised`);
    console.log(`${done.revoked} ACTIVE access records linked to them were revoked`);
  });
}

/** The subgraphs in the order in which they start. */
function subgraphsOf(settings: Settings, databaseUrl: string): RestoredSubgraph[] {
  const keys = completeKeys(settings.keys, [
    'identityIndexKey',
    'identityEncryptionKey',
    'identityHashKey',
    'accessHashKey',
    'accessEncryptionKey',
  ]);
  const ofIdentity = {
    indexKey: keys.identityIndexKey,
    encryptionKey: keys.identityEncryptionKey,
    hashKey: keys.identityHashKey,
  };
  const ofAccess = { hashKey: keys.accessHashKey, encryptionKey: keys.accessEncryptionKey };
  return [
    { address: identityAddress(databaseUrl, ofIdentity), tables: identityTables, keys: namedIdentityKeys(ofIdentity) },
    { address: accessAddress(databaseUrl, ofAccess), tables: accessTables, keys: namedAccessKeys(ofAccess) },
  ];
}

/** Works in the database that DATABASE_URL names, or in the embedded one: that of a running register, else started for the work. */
async function inDatabase(
  { databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const url = databaseUrl ?? (await runningPostgres(dataDir));
  if (url !== undefined) return work(url);
  const postgres = await launchPostgres({ dataDir, log: pino({ level: 'warn' }, process.stderr) });
  try {
    await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}

main().catch((error: Error) => {
  const fault = startFault(error, process.env).replace(/^the register cannot start: /, '');
  console.error(error.message.startsWith('usage') ? error.message : fault);
  process.exit(1);
});
