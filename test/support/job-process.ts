import { createInterface } from 'node:readline';
import pino from 'pino';
import { startWorkers } from '../../subgraphs/server/jobs/job-workers';
import { TRIAL_JOBS, trialAddress } from './job-database';

/**
 * Runs workers in a separate process, for tests that kill it or its database: `node -r ./test/support/swc-register.js
 * test/support/job-process.ts <url>`. Prints `ready`, and `took <n>` for each job. A job `hold` never ends. A
 * job `wait` ends when its number or `all` arrives on standard input, and prints `ended <n>`; its first run fails if
 * the number is even.
 */
async function main([url = '']: string[]): Promise<void> {
  const never = new Promise<void>(() => undefined);
  const failed = new Set<number>();
  const lines = createInterface(process.stdin);
  lines.setMaxListeners(0);
  const took = (payload: unknown): number => {
    const { n } = payload as { n: number };
    process.stdout.write(`took ${n}\n`);
    return n;
  };
  const hold = (payload: unknown) => {
    took(payload);
    return never;
  };
  const wait = async (payload: unknown) => {
    const n = took(payload);
    await new Promise<void>((end) => lines.on('line', (line) => void ([String(n), 'all'].includes(line) && end())));
    process.stdout.write(`ended ${n}\n`);
    if (n % 2 === 0 && !failed.has(n)) throw (failed.add(n), new Error('an even job'));
  };
  await startWorkers({
    address: trialAddress(url),
    schema: TRIAL_JOBS,
    tasks: { hold, wait },
    logger: pino({ level: 'silent' }),
    concurrency: 2,
  });
  process.stdout.write('ready\n');
}

void main(process.argv.slice(2));
