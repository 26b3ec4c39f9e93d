import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import type { Bench } from '../bench-context';
import { LIMITS } from '../limits';
import { freePort } from '../server-processes';
import { type Measurement, rounded } from '../verdict';

/** Seconds that issue 2 allows until `ready`. */
const ALLOWED = { 'start-first': 15, 'start-warm': 5 } as const;

/** `npm start` in a fresh DATA_DIR, with its embedded PostgreSQL, and once more in the same. */
export const start: Bench = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'register-start-'));
  try {
    const first = await secondsToReady(join(folder, 'data'));
    const warm = await secondsToReady(join(folder, 'data'));
    return [measurementOf('start-first', first), measurementOf('start-warm', warm)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

function measurementOf(name: keyof typeof ALLOWED, seconds: number): Measurement {
  const ratio = ALLOWED[name] / seconds;
  return {
    name,
    ratio,
    baseline: `${ALLOWED[name]}-seconds`,
    limit: LIMITS[name],
    beside: { seconds: rounded(seconds) },
  };
}

async function secondsToReady(dataDir: string): Promise<number> {
  const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: dataDir };
  const ports = {
    GATEWAY_PORT: await freePort(),
    REST_PORT: await freePort(),
    PORTAL_PORT: await freePort(),
    MAILBOX_PORT: '0',
    OIDC_PORT: '0',
  };
  const begin = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: REPOSITORY_ROOT,
    env: { ...environment, ...ports },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('ready')) return (performance.now() - begin) / 1000;
    }
    throw new Error('npm start ended before it was ready');
  } finally {
    if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGINT');
    await ended;
  }
}
