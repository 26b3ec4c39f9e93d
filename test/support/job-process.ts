import pino from 'pino';
import { startWorkers } from '../../subgraphs/server/job-workers';
import { TRIAL_JOBS, trialAddress } from './job-database';

/**
 * Workers as a process of their own, for tests that kill it: `node -r ./test/support/swc-register.js test/support/job-process.ts <url>`.
 * Says `ready`, and `took <n>` for each job, which it never ends.
 */
async function main([url = '']: string[]): Promise<void> {
  const never = new Promise<void>(() => undefined);
  const hold = (payload: unknown) => {
    process.stdout.write(`took ${(payload as { n: number }).n}\n`);
    return never;
  };
  const logger = pino({ level: 'silent' });
  await startWorkers({ address: trialAddress(url), schema: TRIAL_JOBS, tasks: { hold }, logger, concurrency: 2 });
  process.stdout.write('ready\n');
}

void main(process.argv.slice(2));
