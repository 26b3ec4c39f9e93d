import { createHmac } from 'node:crypto';
import { Logger, type Runner, run, runMigrations } from 'graphile-worker';
import { Pool } from 'pg';
import { callbackSender } from '../../../subgraphs/delivery/sender';

const SCHEMA = 'bare_jobs';
const CONCURRENCY = 50;

/**
 * The baseline of deliveries: the same worker library and the same agent, a job for each POST, its body made and signed in both schemes.
 * No lanes, no order, no log, no schedule. Jobs are fetched and completed in batches.
 */
async function main(): Promise<void> {
  const pgPool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
  pgPool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const logger = new Logger(() => () => undefined);
  await runMigrations({ pgPool, schema: SCHEMA, logger });
  const sender = callbackSender({ allowLoopback: true });
  const secret = Buffer.alloc(32, 7);
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
        const dispatch = signed(url, secret, number);
        await sender.send(dispatch);
      },
    },
  });
  process.on('SIGINT', () => void runner.stop().then(() => pgPool.end().then(() => process.exit(0))));
  console.log('ready');
}

/** A notice of expiry as large as the product's, with its headers. */
function signed(url: string, secret: Buffer, number: number) {
  const id = `evt_${String(number).padStart(24, '0')}`;
  const payload = {
    ak: `ak_${String(number).padStart(24, '0')}`,
    mpxn: '2000000001',
    duid: 'duid_0123456789abcdef01234567',
    expiry: new Date(1_800_000_000_000 + number).toISOString(),
    'days-remaining': 10,
  };
  const body = JSON.stringify({
    'event-id': id,
    'event-type': 'consent.expiring',
    'occurred-at': new Date().toISOString(),
    wid: 'wid_0123456789abcdef01234567',
    sequence: 1,
    payload,
  });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const standard = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  const plain = createHmac('sha256', secret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
    'x-dar-signature': `sha256=${plain}`,
  };
  return { url, headers, body };
}

void main();
