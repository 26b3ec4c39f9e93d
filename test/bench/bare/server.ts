import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { Pool } from 'pg';
import { sandboxKeyVariables } from '../../../sandbox/keys';
import type { Keys } from '../../../process/settings/keys';
import { localVerifier } from '../../../subgraphs/server/callers/bearer-token';
import { addFederatedRead } from './federated';
import { addMeterPointList } from './list';
import { addRetrieval } from './grid-retrieval';
import { addRegistration } from './register';
import { sessionOf } from './session';
import { addTariffs } from './tariffs';
import { addVerification } from './verify';
import { readSettings } from '../../../process/settings/read-settings';

/**
 * Baseline: hand-written Fastify and pg for exactly these requests, with named statements, without validation, logs or
 * metrics. It does the same work on the same rows: key hashes, token verification, account status, decryption.
 */
async function main(): Promise<void> {
  const { DATABASE_URL, DATA_DIR, BASE_URL } = process.env as {
    DATABASE_URL: string;
    DATA_DIR: string;
    BASE_URL: string;
  };
  const keys = readSettings(sandboxKeyVariables(DATA_DIR)).keys as Keys;
  const options = '-c search_path=access,identity,identity_keys,tariffs,register';
  const pool = new Pool({ connectionString: DATABASE_URL, max: 10, options });
  const session = sessionOf(localVerifier({ issuer: BASE_URL, keys: keys.tokenSigningKeys }));
  const app = fastify();
  addVerification(app, pool, keys);
  addRegistration(app, pool, keys, session);
  addFederatedRead(app, pool, keys, session);
  addMeterPointList(app, pool, keys, session);
  addRetrieval(app, pool);
  addTariffs(app, pool);
  await app.listen({ port: 0, host: '127.0.0.1' });
  process.on('SIGINT', () => void app.close().then(() => pool.end()));
  console.log(`ready http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
}

void main();
