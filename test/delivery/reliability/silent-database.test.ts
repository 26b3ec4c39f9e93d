import type { Pool } from 'pg';
import type { Deliveries } from '../../../subgraphs/delivery/engine';
import { type HookReceiver, hookReceiver } from '../../support/hook-receiver';
import { type FreshDatabase, freshDatabase } from '../../support/postgres';
import { type SilencedProxy, silencedProxy } from '../../support/silenced-proxy';
import {
  plan,
  trialDeliveries,
  trialDeliveryAddress,
  trialEndpoint,
  trialEngine,
} from '../../support/trial-deliveries';
import { until } from '../../support/until';

let database: FreshDatabase;
let trial: Awaited<ReturnType<typeof trialDeliveries>>;
let pool: Pool;
let sink: HookReceiver;
let endpoint: string;
const engines: Deliveries[] = [];
const proxies: SilencedProxy[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  trial = await trialDeliveries(database.url);
  pool = trial.pool;
});
beforeEach(async () => {
  sink = await hookReceiver();
  endpoint = await trialEndpoint(pool, sink.url);
});
afterEach(async () => {
  await Promise.all([...engines.splice(0).map((each) => each.stop()), sink.close()]);
  await Promise.all(proxies.splice(0).map((each) => each.close()));
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const isDelivered = (event: string): Promise<true> =>
  until(async () => {
    const text = `select from delivery where endpoint_id = $1 and event_id = $2 and state = 'delivered'`;
    return (await pool.query(text, [endpoint, event])).rowCount === 1 || undefined;
  });

describe('An engine whose database server is silent', () => {
  /** Starts an engine whose present connections a test can silence: they stay open, and new ones reach the server. */
  async function engineToSilence() {
    const proxy = await silencedProxy(database.url);
    proxies.push(proxy);
    const address = trialDeliveryAddress(proxy.url);
    engines.push(await trialEngine({ address, pool }));
    return proxy;
  }
  const received = () => sink.received.map(({ eventId }) => eventId);

  it('continues by new connections, although nothing ends the silent ones', async () => {
    const proxy = await engineToSilence();
    await plan(pool, endpoint, 'before');
    await isDelivered('before');
    proxy.silence();
    await plan(pool, endpoint, 'after');
    await isDelivered('after');
    expect(received()).toEqual(['before', 'after']);
  });

  it('sends no event that another process has sent meanwhile', async () => {
    const proxy = await engineToSilence();
    await plan(pool, endpoint, 'before');
    await isDelivered('before');
    proxy.silence();
    const other = await trialEngine(trial);
    await plan(pool, endpoint, 'meanwhile');
    await isDelivered('meanwhile');
    await other.stop();
    await plan(pool, endpoint, 'after');
    await isDelivered('after'); // by the first engine
    expect(received()).toEqual(['before', 'meanwhile', 'after']);
  });
});
