import { Pool } from 'pg';
import { sessionOptions } from '../../subgraphs/server/database/database';
import { trialDeliveryAddress, trialEngine } from './trial-deliveries';

/**
 * A delivery engine in a separate process, for tests that kill it: `node -r ./test/support/swc-register.js
 * test/support/delivery-process.ts <url>`. Prints `ready`.
 */
async function main([url = '']: string[]): Promise<void> {
  const address = trialDeliveryAddress(url);
  const pool = new Pool(sessionOptions(address));
  await trialEngine({ address, pool });
  process.stdout.write('ready\n');
}

void main(process.argv.slice(2));
