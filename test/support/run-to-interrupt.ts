import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freshDatabase } from './postgres';
import { KEEPER_URL } from './run/keeper-client';
import { RUN_ID, childEnvironment } from './run/left-processes';
import { TABLES_FOLDER } from './run/run-folders';
import { until } from './until';

/** Resources of a run that is interrupted. */
export interface RunFacts {
  /** Id of the run. */
  readonly run: string | undefined;
  /** URL of its keeper. */
  readonly keeper: string;
  /** Folders of temporary files and of the database files. */
  readonly folders: readonly string[];
  readonly databaseUrl: string;
}

/** The only test of a run that test/process/reliability/interrupted-run.test.ts starts and interrupts. */
it('has a database and a process, and continues while its keeper runs', async () => {
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
