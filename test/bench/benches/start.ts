import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import type { Bench } from '../bench-context';
import { LIMITS } from '../limits';
import { freePort } from '../../support/run/free-port';
import { ROUNDS } from '../limits';
import { progress } from '../progress';
import { median } from '../rounds';
import { type Measurement, rounded } from '../verdict';

/**
 * `npm start` in an empty DATA_DIR, with the embedded PostgreSQL, and again in the same; against the compiler and
 * PostgreSQL alone.
 */
export const start: Bench = async ({ scaled }) => {
  const times: Times[] = [];
  for (let round = 0; round < scaled(ROUNDS); round += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'register-start-'));
    const [product, bare] = [join(folder, 'data'), join(folder, 'bare')];
    try {
      const first = [await secondsToReady(npmStart(product)), await secondsToReady(bareStart(bare))] as const;
      const warm = [await secondsToReady(npmStart(product)), await secondsToReady(bareStart(bare))] as const;
      times.push({ 'start-first': first, 'start-warm': warm });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return [measurementOf('start-first', times), measurementOf('start-warm', times)];
};

type Pair = readonly [product: number, bare: number];
type Times = Readonly<Record<'start-first' | 'start-warm', Pair>>;

function measurementOf(name: keyof Times, times: readonly Times[]): Measurement {
  const [product, bare] = [0, 1].map((side) => median(times.map((each) => each[name][side] as number))) as [
    number,
    number,
  ];
  return {
    name,
    ratio: bare / product,
    baseline: 'compiler-and-postgresql-alone',
    limit: LIMITS[name],
    beside: { seconds: `${rounded(product)}:${rounded(bare)}` },
  };
}

/** A command line with its environment. */
interface Command {
  readonly words: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

function npmStart(dataDir: string): Command {
  return { words: ['npm', 'start'], environment: { DATA_DIR: dataDir } };
}

/** Returns a command that runs the compiler, then PostgreSQL with the product's settings, in a separate folder. */
function bareStart(dataDir: string): Command {
  const script = `
    const log = { warn() {}, error() {} };
    require('./dist/sandbox/postgres/launch-postgres.js').launchPostgres({ dataDir: process.env.DATA_DIR, log }).then((server) => {
      process.on('SIGINT', () => server.stop());
      console.log('ready');
    });`;
  return {
    words: ['/bin/sh', '-c', 'npm run --silent build && exec node -e "$SCRIPT"'],
    environment: { DATA_DIR: dataDir, SCRIPT: script },
  };
}

async function secondsToReady({ words, environment }: Command): Promise<number> {
  const ports = {
    GATEWAY_PORT: String(await freePort()),
    REST_PORT: String(await freePort()),
    PORTAL_PORT: String(await freePort()),
    CONSOLE_PORT: '0',
    MAILBOX_PORT: '0',
    OIDC_PORT: '0',
  };
  const begin = performance.now();
  const [program, ...args] = words;
  const child = spawn(program, args, {
    cwd: REPOSITORY_ROOT,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment, ...ports },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('ready')) continue;
      const seconds = (performance.now() - begin) / 1000;
      progress(`${words.slice(0, 2).join(' ')}: ready after ${rounded(seconds)} s`);
      return seconds;
    }
    throw new Error(`${words.join(' ')} ended before it was ready`);
  } finally {
    if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGINT');
    await ended;
  }
}
