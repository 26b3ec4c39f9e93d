import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { runIn } from '../../support/postgres';
import { processesOf } from '../../support/run/left-processes';
import { keeperOf } from '../../support/run/run-folders';
import type { RunFacts } from '../../support/run-to-interrupt';
import { until } from '../../support/until';

interface Run extends RunFacts {
  readonly jest: ChildProcess;
}

const MAX_START_MS = 180_000;
const started: ChildProcess[] = [];

/** Starts a test run of one test that does not end, as a terminal does. */
async function start(): Promise<Run> {
  const program = join(REPOSITORY_ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const test = 'test/support/run-to-interrupt.ts';
  const words = [program, '--runInBand', '--ci', '--testMatch', `<rootDir>/${test}`, '--', test];
  const jest = spawn(process.execPath, words, {
    cwd: REPOSITORY_ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  started.push(jest);
  for await (const line of createInterface({ input: jest.stdout }))
    if (line.startsWith('{')) return { ...(JSON.parse(line) as RunFacts), jest };
  throw new Error('the run ended before its test began');
}

/** Returns the remaining processes, folders and database of a run. */
async function leftoversOf({ run = '', folders, databaseUrl }: Run): Promise<string[]> {
  const hasDatabase = await runIn(databaseUrl, 'select 1').then(
    () => true,
    () => false,
  );
  return [
    ...processesOf(run).map((pid) => `process ${pid}`),
    ...folders.filter((folder) => existsSync(folder)),
    ...(hasDatabase ? [databaseUrl] : []),
  ];
}

describe('Of two concurrent test runs', () => {
  let interrupted: Run;
  let other: Run;
  beforeAll(async () => {
    [interrupted, other] = await Promise.all([start(), start()]);
  }, MAX_START_MS);
  afterAll(() => started.forEach((jest) => jest.kill('SIGKILL')));

  it(
    'a killed one leaves no process, no database and no folder, and the other one continues',
    async () => {
      const kept = [`process ${keeperOf(String(other.run))}`, ...other.folders, other.databaseUrl];
      expect(await leftoversOf(other)).toEqual(expect.arrayContaining(kept));
      interrupted.jest.kill('SIGKILL');
      await until(async () => (await leftoversOf(interrupted)).length === 0 || undefined);
      // PostgreSQL starts and ends processes at any time, so the list is only compared with the lasting ones.
      expect(await leftoversOf(other)).toEqual(expect.arrayContaining(kept));
    },
    MAX_START_MS,
  );

  it(
    'one that is killed together with its keeper is cleaned up by the next run',
    async () => {
      process.kill(Number(keeperOf(String(other.run))), 'SIGKILL');
      other.jest.kill('SIGKILL');
      const left = other;
      other = await start();
      expect(await leftoversOf(left)).toEqual([]);
    },
    MAX_START_MS,
  );

  it(
    'one whose keeper is killed ends and leaves nothing',
    async () => {
      const ended = once(other.jest, 'exit');
      process.kill(Number(keeperOf(String(other.run))), 'SIGKILL');
      await ended;
      expect(await leftoversOf(other)).toEqual([]);
    },
    MAX_START_MS,
  );
});
