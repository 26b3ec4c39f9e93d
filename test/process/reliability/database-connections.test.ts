import { Client } from 'pg';
import { graphAs, persistentGraph } from '../../support/graph';
import { consentRecord } from '../../support/records';
import { type Place, type RegisterProcess, placeOf, sandboxOf, spawnRegisterProcess } from '../../support/register';
import { anonymousClient, persistent, signedInClient } from '../../support/rest-client';
import { freePorts } from '../../support/run/templates';
import { until } from '../../support/until';

const POOL = 3;
const CONCURRENT_REQUESTS = 40;
const MIN_REQUESTS = 1_500;

/** Counts the sessions of clients; the server ends a session shortly after its client has closed it. */
const SESSIONS = `
  select count(*)::int as sessions from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;

describe('A register with DATABASE_POOL', () => {
  let place: Place;
  let register: RegisterProcess;
  beforeAll(async () => (place = await placeOf()));
  afterAll(async () => {
    await register?.stop();
    await place.remove();
  });

  it('logs at its start how many connections it may open, and never opens more, also under load', async () => {
    const observer = new Client({ connectionString: place.databaseUrl });
    await observer.connect();
    let most = 0;
    let isOver = false;
    const observing = (async () => {
      while (!isOver)
        most = Math.max(most, (await observer.query<{ sessions: number }>(SESSIONS)).rows[0]?.sessions ?? 0);
    })();
    const ports = await freePorts();
    const started = spawnRegisterProcess({ ...place.environment, ...ports, DATABASE_POOL: String(POOL) });
    register = started;
    await started.ready;
    const mostAtStart = most;
    const line = register
      .output()
      .split('\n')
      .filter((each) => each.includes('maximum of database connections'));
    expect(line).toHaveLength(1);
    const { connections, pool } = JSON.parse(line[0] ?? '') as { connections: number; pool: number };
    expect({ pool, connections }).toEqual({ pool: POOL, connections: 4 * POOL + 41 }); // as documented in docs/operations.md

    const rest = `http://localhost:${ports.REST_PORT}`;
    const urls = { rest, gateway: `http://localhost:${ports.GATEWAY_PORT}`, sandbox: sandboxOf(place.dataDir) };
    const dataUser = persistent(await signedInClient(urls, 'data_user')); // a request that waits too long for a connection is 503
    const graph = persistentGraph(await graphAs(urls, 'analyst'));
    const { samples } = urls.sandbox;
    const requests: (() => Promise<{ status: number }>)[] = [
      () => dataUser('POST', '/v1/access-records', consentRecord(samples.identity_record)),
      () => dataUser('GET', '/v1/webhooks'),
      () => dataUser('GET', `/v1/access-records/${samples.access_keys.active}`),
      () => persistent(anonymousClient(rest))('GET', `/v1/access-records/${samples.access_keys.revoked}`),
      () =>
        graph('{ viewer { role } accessRecords(first: 2) { nodes { id } } suppliers(first: 1) { nodes { mpid } } }'),
      () => graph('{ developmentProjects(first: 2) { nodes { id } } identityRecords(email: "a@b.example") { ir } }'),
    ];
    let sent = 0;
    const statuses = new Set<number>();
    const send = async () => {
      while (sent < MIN_REQUESTS) {
        const request = requests[(sent += 1) % requests.length] as (typeof requests)[number];
        statuses.add((await request()).status);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, send));
    await until(() => (most > 0 ? true : undefined));
    isOver = true;
    await observing;
    await observer.end();
    expect([...statuses].toSorted()).toEqual([200, 201]);
    expect(mostAtStart).toBeLessThanOrEqual(connections);
    expect(most).toBeLessThanOrEqual(connections);
    expect(most).toBeGreaterThan(connections / 2); // the logged maximum is realistic
  });
});
