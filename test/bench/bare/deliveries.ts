import { Logger, type Runner, run, runMigrations } from 'graphile-worker';
import { Pool } from 'pg';
import { callbackSender } from '../../../subgraphs/delivery/requests/sender';
import { signedPost } from './signed-post';

const SCHEMA = 'bare_jobs';
const CONCURRENCY = 50;

/**
 * Baseline of deliveries: the same worker library and HTTP agent, one job for each POST, with the body built and signed
 * in both schemes. No lanes, order, log or schedule. Jobs are fetched and completed in batches.
 */
async function main(): Promise<void> {
  const pgPool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
  pgPool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const logger = new Logger(() => () => undefined);
  await runMigrations({ pgPool, schema: SCHEMA, logger });
  const sender = callbackSender({ allowLoopback: true });
  const url = process.env['RECEIVER'] as string;
  const runner: Runner = await run({
    pgPool,
    schema: SCHEMA,
    logger,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    pollInterval: 1_000,
    preset: {
      worker: { localQueue: { size: 500 }, completeJobBatchDelay: 5, failJobBatchDelay: 5 },
    },
    taskList: {
      async post(payload) {
        const { number } = payload as { number: number };
        await sender.send(signedPost(url, number));
      },
    },
  });
  process.on('SIGINT', () => void runner.stop().then(() => pgPool.end().then(() => process.exit(0))));
  console.log('ready');
}

void main();
