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

const STARTS_WITHIN = 180_000;
const started: ChildProcess[] = [];

/** Starts a test run of one test that does not end by itself, as a terminal does. */
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

/** What is left of a run. */
async function leftOf({ run = '', folders, databaseUrl }: Run): Promise<string[]> {
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

describe('Of two test runs at once', () => {
  let interrupted: Run;
  let other: Run;
  beforeAll(async () => {
    [interrupted, other] = await Promise.all([start(), start()]);
  }, STARTS_WITHIN);
  afterAll(() => started.forEach((jest) => jest.kill('SIGKILL')));

  it(
    'the one that is killed leaves no process, no database and no folder, and the other goes on',
    async () => {
      const kept = [`process ${keeperOf(String(other.run))}`, ...other.folders, other.databaseUrl];
      expect(await leftOf(other)).toEqual(expect.arrayContaining(kept));
      interrupted.jest.kill('SIGKILL');
      await until(async () => (await leftOf(interrupted)).length === 0 || undefined);
      // PostgreSQL begins and ends processes of its own all the time.
      expect(await leftOf(other)).toEqual(expect.arrayContaining(kept));
    },
    STARTS_WITHIN,
  );

  it(
    'the one that is killed together with its keeper is tidied up by the next run',
    async () => {
      process.kill(Number(keeperOf(String(other.run))), 'SIGKILL');
      other.jest.kill('SIGKILL');
      const left = other;
      other = await start();
      expect(await leftOf(left)).toEqual([]);
    },
    STARTS_WITHIN,
  );

  it(
    'the one whose keeper is killed ends, and leaves nothing either',
    async () => {
      const ended = once(other.jest, 'exit');
      process.kill(Number(keeperOf(String(other.run))), 'SIGKILL');
      await ended;
      expect(await leftOf(other)).toEqual([]);
    },
    STARTS_WITHIN,
  );
});
