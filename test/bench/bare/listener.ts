import { Client } from 'pg';
import { callbackSender } from '../../../subgraphs/delivery/requests/sender';
import { signedPost } from './signed-post';

/**
 * Baseline of the time from commit to first POST: LISTEN, and for each notification a POST by the same HTTP agent, with
 * the body built and signed in both schemes. No read and no state.
 */
async function main(): Promise<void> {
  const client = new Client({ connectionString: process.env['DATABASE_URL'] });
  client.on('error', () => process.exit(1));
  await client.connect();
  const sender = callbackSender({ allowLoopback: true });
  const url = process.env['RECEIVER'] as string;
  client.on('notification', ({ payload }) => void sender.send(signedPost(url, Number(payload))));
  await client.query('listen bare_event');
  process.on('SIGINT', () => process.exit(0));
  console.log('ready');
}

void main();
