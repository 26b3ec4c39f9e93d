import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { takeList } from './backup/anonymised-list';
import type * as Restore from './backup/restore';
import type * as RestoredSubgraphs from './backup/restored-subgraphs';
import { takeBackup } from './backup/take-backup';
import { SUBGRAPHS } from './process/keys';
import { commandFault } from './process/start-fault';
import { type BackupSettings, type Settings, readBackupSettings } from './process/settings';
import { sandboxedSettings } from './sandbox/keys';
import { launchPostgres } from './sandbox/postgres/launch-postgres';
import { runningPostgres } from './sandbox/postgres/running-postgres';

const USAGE = `usage: npm run backup -- <folder>    register and data keys of the database that DATABASE_URL names, or of the embedded one
         --list-only                     only the list of anonymised records, cheap enough for every minute
       npm run restore -- <folder>   the newest backup of the folder, into an empty database
         --also-from <database url>      what was anonymised in this database is anonymised, too
         --without-data-keys             identity records whose data key is in no backup are anonymised`;

/** Backups and restores of the operator. */
async function main(): Promise<void> {
  const [command = '', ...words] = process.argv.slice(2);
  const options = OPTIONS[command];
  if (options === undefined) throw new Error(USAGE);
  const { folder, values } = parsed(words, options);
  if (command === 'restore') return restoreFrom(folder, values);
  const settings = readBackupSettings(process.env);
  if (settings.databaseUrl === undefined) await requireCluster(settings.dataDir);
  return values['list-only'] === true ? list(settings, folder) : backUp(settings, folder);
}

type Options = Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>;
type Values = Readonly<Record<string, string | boolean | undefined>>;

/** The commands and their options. */
const OPTIONS: Readonly<Record<string, Options>> = {
  backup: { 'list-only': { type: 'boolean' } },
  restore: { 'without-data-keys': { type: 'boolean' }, 'also-from': { type: 'string' } },
};

function parsed(words: string[], options: Options): { folder: string; values: Values } {
  const read = () => parseArgs({ args: words, allowPositionals: true, options });
  let line: ReturnType<typeof read>;
  try {
    line = read();
  } catch {
    throw new Error(USAGE);
  }
  const [folder] = line.positionals;
  if (line.positionals.length !== 1 || folder === undefined) throw new Error(USAGE);
  return { folder: resolve(folder), values: line.values as Values };
}

/** A backup starts an embedded database, but never makes one: it would be empty. */
async function requireCluster(dataDir: string): Promise<void> {
  await stat(join(dataDir, 'postgres', 'PG_VERSION')).catch(() => {
    throw new Error(`there is no database to back up: DATABASE_URL names none, and ${dataDir} (DATA_DIR) has none`);
  });
}

async function list(settings: BackupSettings, root: string): Promise<void> {
  await inDatabase(settings, async (databaseUrl) => {
    console.log(`${await takeList(databaseUrl, root)} anonymised identity records are in the list of ${root}`);
  });
}

async function backUp(settings: BackupSettings, root: string): Promise<void> {
  await inDatabase(settings, async (databaseUrl) => {
    const { register, dataKeys, rows, dataKeysDeleted } = await takeBackup(
      databaseUrl,
      root,
      settings.dataKeysKeptDays,
    );
    console.log(`${rows} rows of the register are in ${register}`);
    console.log(`the data keys are in ${dataKeys}; ${dataKeysDeleted} older or incomplete ones were deleted`);
  });
}

/** Loaded for a restore only, since they have much of the product in them: a list is to be cheap enough for every minute. */
const forRestore = () => ({
  ...(require('./backup/restore') as typeof Restore),
  ...(require('./backup/restored-subgraphs') as typeof RestoredSubgraphs),
});

async function restoreFrom(root: string, values: Values): Promise<void> {
  const withoutDataKeys = values['without-data-keys'] === true;
  const alsoFrom = values['also-from'] as string | undefined;
  const settings = await sandboxedSettings({ ...process.env, SERVICES: SUBGRAPHS.join(',') });
  const { restore, restoredSubgraphs } = forRestore();
  await inDatabase(settings, async (databaseUrl) => {
    const subgraphs = restoredSubgraphs(settings.keys, databaseUrl);
    const done = await restore({ databaseUrl, root, subgraphs, withoutDataKeys, alsoFrom });
    console.log(`${done.rows} rows were restored from ${done.register} and ${done.dataKeys ?? 'no data keys'}`);
    console.log(`${done.anonymisedAgain} identity records were anonymised again`);
    console.log(`${done.withoutDataKey} identity records had no data key any more: they were anonymised`);
    console.log(`${done.revoked} ACTIVE access records linked to them were revoked`);
  });
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
  console.error(error.message.startsWith('usage') ? error.message : commandFault(error, process.env));
  process.exit(1);
});
