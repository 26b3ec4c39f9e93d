import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freshDatabase } from './postgres';
import { KEEPER_URL } from './run/keeper-client';
import { RUN_ID, childEnvironment } from './run/left-processes';
import { TABLES_FOLDER } from './run/run-folders';
import { until } from './until';

/** What a run that is interrupted has made. */
export interface RunFacts {
  /** Names it. */
  readonly run: string | undefined;
  /** Its keeper's address. */
  readonly keeper: string;
  /** Where it has temporary files, and its tables. */
  readonly folders: readonly string[];
  readonly databaseUrl: string;
}

/** The only test of a run of its own, which test/process/reliability/interrupted-run.test.ts starts and interrupts. */
it('has a database and a process, and goes on while there is a keeper', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], {
    env: childEnvironment({}),
    detached: true,
    stdio: 'ignore',
  });
  await once(child, 'spawn');
  const { TMPDIR = '', [TABLES_FOLDER]: tables = '', [RUN_ID]: run, [KEEPER_URL]: keeper = '' } = process.env;
  const facts: RunFacts = { run, keeper, folders: [TMPDIR, tables], databaseUrl: (await freshDatabase()).url };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
  await until(
    () =>
      fetch(keeper).then(
        () => undefined,
        () => true as const,
      ),
    600_000,
  );
  expect(child.exitCode).toBeNull();
}, 600_000);
