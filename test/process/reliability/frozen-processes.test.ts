import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { graphOf } from '../../support/graph';
import { consentRecord } from '../../support/records';
import { type Place, type RegisterProcess, freePort, placeOf, sandboxOf, startTogether } from '../../support/register';
import { type RestClient, anonymousClient, signedInClient } from '../../support/rest-client';
import { until } from '../../support/until';

/** Time within which every request receives a response, independent of other processes. */
const MAX_RESPONSE_MS = 10_000;
const MAX_START_MS = 300_000;
const PORTS = [
  ...['GATEWAY_PORT', 'GATEWAY_LINK_PORT', 'REST_PORT'],
  ...['ACCESS_PORT', 'IDENTITY_PORT', 'GRID_MODELS_PORT', 'TARIFFS_PORT'],
];

/** A process stopped by SIGSTOP keeps its sockets open: the kernel accepts connections and requests. */
describe('A process that accepts requests and never responds', () => {
  let place: Place;
  let register: { rest: string; gateway: string; sandbox: ReturnType<typeof sandboxOf> };
  let processes: RegisterProcess[] = [];
  let dataUser: RestClient;

  beforeAll(async () => {
    place = await placeOf();
    const ports = Object.fromEntries(await Promise.all(PORTS.map(async (name) => [name, String(await freePort())])));
    const common = { ...place.environment, ...ports, LOG_LEVEL: 'error' };
    const services = ['rest-adapter', 'access,gateway', 'identity,grid-models,tariffs'];
    processes = await startTogether(services.map((names) => ({ ...common, SERVICES: names })));
    const [rest, gateway] = [ports['REST_PORT'], ports['GATEWAY_PORT']].map((port) => `http://localhost:${port}`);
    register = { rest: String(rest), gateway: String(gateway), sandbox: sandboxOf(place.dataDir) };
    dataUser = await signedInClient(register, 'data_user');
  }, MAX_START_MS);
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()));
    await place.remove();
  });

  const anonymous: RestClient = (...request) => anonymousClient(register.rest)(...request);
  const verify = () => anonymous('GET', `/v1/access-records/${register.sandbox.samples.access_keys.active}`);
  const registration = () =>
    dataUser('POST', '/v1/access-records', consentRecord(register.sandbox.samples.identity_record));
  const suppliers = () => anonymous('GET', '/v1/suppliers');
  const graph = (query: string) => graphOf(register)(query);

  /** Runs `work` while a process is stopped. */
  async function frozen(child: ChildProcess | undefined, work: () => Promise<void>): Promise<void> {
    child?.kill('SIGSTOP');
    try {
      await work();
    } finally {
      child?.kill('SIGCONT');
    }
  }

  /** Returns status and error code of a response; undefined if none arrives in time. */
  async function inTime(send: () => ReturnType<RestClient>) {
    const response = await Promise.race([send(), wait(MAX_RESPONSE_MS, undefined, { ref: false })]);
    return response && [response.status, response.body['errors']?.[0]?.['error-code']];
  }

  it('causes 503 in time for operations that need it, over REST and GraphQL; operations of other subgraphs continue', async () => {
    const { active } = register.sandbox.samples.access_keys;
    await frozen(processes[2]?.child, async () => {
      const begin = performance.now();
      const [registered, listed, found, queried, part] = await Promise.all([
        inTime(registration),
        inTime(() => dataUser('GET', '/v1/identity-records?mpxn=1012345678')),
        inTime(suppliers),
        graph('{ suppliers(first: 1) { nodes { mpid } } }'),
        graph(`{ accessRecord(key: "${active}") { state } suppliers(first: 1) { nodes { mpid } } }`),
      ]);
      expect(performance.now() - begin).toBeLessThan(MAX_RESPONSE_MS);
      expect([registered, listed]).toEqual([
        [503, 'SYS002'],
        [503, 'SYS002'],
      ]);
      expect(found?.[0]).toBe(503);
      for (const { errors } of [queried, part])
        expect(errors.map(({ extensions }) => extensions?.['code'])).toEqual(['SYS002']);
      const healthy = performance.now();
      expect((await verify()).status).toBe(200);
      expect((await dataUser('GET', '/v1/records?limit=1')).status).toBe(200);
      expect((await graph(`{ accessRecord(key: "${active}") { accessEvent { state } } }`)).errors).toEqual([]);
      expect(performance.now() - healthy).toBeLessThan(MAX_RESPONSE_MS / 2);
      const health = async (path: string) => (await fetch(`${register.gateway}${path}`)).status;
      expect([await health('/health'), await health('/health/live')]).toEqual([503, 200]);
    });
    await until(async () => ((await registration()).status === 201 ? true : undefined));
    expect([(await suppliers()).status, (await verify()).status]).toEqual([200, 200]);
  });

  it('causes 503 in time when it is the gateway itself', async () => {
    await frozen(processes[1]?.child, async () => {
      expect(await Promise.all([verify, registration].map(inTime))).toEqual([
        [503, 'SYS002'],
        [503, 'SYS002'],
      ]);
    });
    await until(async () => ((await verify()).status === 200 ? true : undefined));
  });
});
