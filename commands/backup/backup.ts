import 'reflect-metadata';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pino from 'pino';
import {
  type CommandLine,
  type CommandOptions,
  exitWithFailure,
  isUrl,
  readCommand,
  unexpected,
  usageError,
} from '../command-line';
import { takeList } from './anonymised-list';
import { createRoot, requireFolders } from './backup-folder';
import type { Reanonymised } from './reanonymise';
import type * as ReanonymiseExisting from './reanonymise-existing';
import type * as Restore from './restore';
import type * as RestoredSubgraphs from './restored-subgraphs';
import { takeBackup } from './take-backup';
import { SUBGRAPHS } from '../../process/settings/keys';
import { type Settings } from '../../process/settings/settings';
import { sandboxedSettings } from '../../sandbox/keys';
import { launchPostgres } from '../../sandbox/postgres/launch-postgres';
import { runningPostgres } from '../../sandbox/postgres/running-postgres';
import { type BackupSettings, readBackupSettings } from '../../process/settings/read-settings';

const USAGE = `usage: npm run backup -- <folder>    backs up register and data keys of DATABASE_URL or of the embedded database
         --list-only                     only the list of anonymised records; fast enough to run every minute
       npm run restore -- <folder>   restores the newest backup of the folder to an empty database
         --backup <name>                 restores the backup of this name in the folder register, such as 20261128T031500.000Z
         --also-from <database url>      also repeats the erasures of this database (password: PGPASSWORD)
         --without-data-keys             anonymises identity records whose data key is in no backup
       npm run reanonymise -- --list <folder>   repeats the erasures of the lists of the folder in an existing
                                     database; run it before the register starts
         --end-sessions                  also ends sessions of customers, links, re-identifications, aliases and epochs of event logs
         --also-from, --without-data-keys   as above`;

const logger = pino({ level: 'warn' }, process.stderr);

/** Runs the operator's commands backup, restore and reanonymise. */
async function main(): Promise<void> {
  const { command, folder, values } = parsed();
  if (command === 'restore') return restoreFrom(folder, values);
  if (command === 'reanonymise') return reanonymiseBy(folder, values);
  const settings = readBackupSettings(process.env);
  await requireCluster(settings);
  const work = values['list-only'] === true ? list : backUp;
  await (settings.mayCreateFolder ? createRoot(folder) : requireFolders(folder, work === backUp));
  return work(settings, folder);
}

type Values = CommandLine['values'];

/** The commands and their options. */
const OPTIONS: Readonly<Record<string, CommandOptions>> = {
  backup: { 'list-only': { type: 'boolean' } },
  restore: { backup: { type: 'string' }, 'without-data-keys': { type: 'boolean' }, 'also-from': { type: 'string' } },
  reanonymise: {
    list: { type: 'string' },
    'end-sessions': { type: 'boolean' },
    'without-data-keys': { type: 'boolean' },
    'also-from': { type: 'string' },
  },
};

/** Returns the command, the folder of backups and the options; throws all that is wrong with the arguments. */
function parsed() {
  const { command, positionals, values, violations } = readCommand(OPTIONS, USAGE);
  const isNamed = command === 'reanonymise';
  const [folder, ...more] = isNamed ? [values['list'], ...positionals] : [...positionals];
  const all = [
    ...violations,
    ...(isNamed && typeof folder === 'string' && isUrl(folder) ? ['--list: must be a folder'] : []),
    ...(folder === undefined ? [isNamed ? '--list: is missing' : 'the folder is missing'] : []),
    ...unexpected(more, violations),
  ];
  if (all.length > 0 || typeof folder !== 'string') throw usageError(all, USAGE);
  return { command, folder: resolve(folder), values };
}

/** Throws if there is no database. The commands start an existing embedded database, but never create an empty one. */
async function requireCluster({ databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>): Promise<void> {
  if (databaseUrl !== undefined) return;
  await stat(join(dataDir, 'postgres', 'PG_VERSION')).catch(() => {
    throw new Error(`there is no database: DATABASE_URL names none, and ${dataDir} (DATA_DIR) has none`);
  });
}

async function list(settings: BackupSettings, root: string): Promise<void> {
  await inDatabase(settings, async (databaseUrl) => {
    const count = await takeList(databaseUrl, root);
    if (count === undefined) console.log('another process writes a list of this database: nothing was written');
    else console.log(`${count} anonymised identity records are in the list of ${root}`);
  });
}

async function backUp(settings: BackupSettings, root: string): Promise<void> {
  await inDatabase(settings, async (databaseUrl) => {
    const { register, dataKeys, rows, dataKeysDeleted } = await takeBackup(
      databaseUrl,
      root,
      settings.dataKeyRetentionDays,
    );
    console.log(`${rows} rows of the register are in ${register}`);
    console.log(`the data keys are in ${dataKeys}; ${dataKeysDeleted} older or incomplete ones were deleted`);
  });
}

/** Loads the modules of restores on demand: they load most of the product, and `--list-only` must start fast. */
const forRestore = () => ({
  ...(require('./restore') as typeof Restore),
  ...(require('./reanonymise-existing') as typeof ReanonymiseExisting),
  ...(require('./restored-subgraphs') as typeof RestoredSubgraphs),
});

const reanonymiseOptions = (values: Values) => ({
  withoutDataKeys: values['without-data-keys'] === true,
  endSessions: values['end-sessions'] === true,
  alsoFrom: values['also-from'] as string | undefined,
});

const settingsOfSubgraphs = () => sandboxedSettings({ ...process.env, SERVICES: SUBGRAPHS.join(',') }, true);

async function restoreFrom(root: string, values: Values): Promise<void> {
  readBackupSettings(process.env); // production needs the owner's login
  const settings = await settingsOfSubgraphs();
  const { restore, restoredSubgraphs } = forRestore();
  await inDatabase(settings, async (databaseUrl) => {
    const subgraphs = restoredSubgraphs(settings.keys, databaseUrl);
    const backup = values['backup'] as string | undefined;
    const done = await restore({ databaseUrl, root, subgraphs, logger, backup, ...reanonymiseOptions(values) });
    console.log(`${done.rows} rows were restored from ${done.register} and ${done.dataKeys ?? 'no data keys'}`);
    report(done);
  });
}

async function reanonymiseBy(root: string, values: Values): Promise<void> {
  await requireCluster(readBackupSettings(process.env));
  const settings = await settingsOfSubgraphs();
  const { reanonymiseExisting, restoredSubgraphs } = forRestore();
  await inDatabase(settings, async (databaseUrl) => {
    const subgraphs = restoredSubgraphs(settings.keys, databaseUrl);
    const { production } = settings;
    report(
      await reanonymiseExisting({ databaseUrl, root, subgraphs, production, logger, ...reanonymiseOptions(values) }),
    );
  });
}

function report(done: Reanonymised): void {
  console.log(`${done.anonymisedAgain} identity records were anonymised again`);
  console.log(`${done.withoutDataKey} identity records had no data key and were anonymised`);
  console.log(`${done.revoked} ACTIVE access records linked to them were revoked`);
  console.log(
    `${done.closedAgain} identity records were closed again: they are anonymised when nothing is linked to them`,
  );
  console.log(`${done.erasedAgain} keys of MPxNs were destroyed again`);
  if (done.keysNotDue > 0)
    console.log(
      `${done.keysNotDue} keys of MPxNs whose erasure was requested are still used: they are destroyed when the end of their occupancy is recorded again`,
    );
  if (done.credentialsEnded !== undefined)
    console.log(`${done.credentialsEnded} sessions, links, re-identifications and aliases were ended`);
  if (done.withoutOccupancyKey > 0) console.log(`${done.withoutOccupancyKey} MPxNs have no key: they stay unreadable`);
}

/** Runs the work in the database of DATABASE_URL or in the embedded one, which it starts unless the register runs. */
async function inDatabase(
  { databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const url = databaseUrl ?? (await runningPostgres(dataDir));
  if (url !== undefined) return work(url);
  const postgres = await launchPostgres({ dataDir, log: logger });
  try {
    await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}

main().catch(exitWithFailure);
