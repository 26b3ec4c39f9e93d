import { type DataUser, newDataUser, identityRecord, newMpxn } from '../support/customers';
import { graphOf } from '../support/graph';
import { registered } from '../support/records';
import {
  type RegisterProcess,
  type TestRegister,
  freePort,
  startRegisterProcess,
  startTestRegister,
} from '../support/register';
import { tokenOf } from '../support/rest-client';
import { logOfRegisterSettled } from '../support/settled-log';
import { type Subscriber, TRANSPORTS } from '../support/subscriber';
import { until } from '../support/until';

const KILLS = process.env['TEST_LONG'] === undefined ? 3 : 20;
const REGISTRATIONS = 20;

const EVENTS = 'subscription ($after: String) { registerEvents(after: $after) { id cursor accessRecord { state } } }';

describe('Subscriptions at two gateways of which one is killed again and again', () => {
  let register: TestRegister;
  let environment: Record<string, string>;
  let replica: RegisterProcess;
  let replicaUrl: string;
  let dataUser: DataUser;
  let ir: string;
  let admin: string;

  beforeAll(async () => {
    const common = {
      ACCESS_PORT: String(await freePort()),
      IDENTITY_PORT: String(await freePort()),
      BASE_URL: 'http://localhost/v1', // the issuer of tokens is the same everywhere
    };
    register = await startTestRegister('a process each', { environment: common });
    const port = await freePort();
    replicaUrl = `http://localhost:${port}`;
    environment = {
      ...common,
      DATABASE_URL: register.databaseUrl,
      DATA_DIR: register.dataDir,
      RATE_LIMITS: 'off',
      SERVICES: 'gateway',
      GATEWAY_PORT: String(port),
    };
    replica = await startRegisterProcess(environment);
    dataUser = await newDataUser(register, 'https://first.example/return');
    ({ ir } = (await dataUser.rest('POST', '/v1/identity-records', identityRecord(newMpxn(), null))).body as {
      ir: string;
    });
    admin = await tokenOf(register, 'admin');
  }, 120_000);
  afterAll(async () => {
    await replica.stop();
    await register.close();
  });

  const loggedAfter = async (after: string) => {
    const query = 'query ($after: String) { registerEvents(after: $after, first: 500) { nodes { id cursor } } }';
    const { data } = await graphOf(register, admin)(query, { after });
    return (data.registerEvents.nodes as { id: string; cursor: string }[]).map(({ id }) => id);
  };

  it.each(TRANSPORTS)(
    'over %s bring every event once and in order, at both, to a client that resumes with its last cursor',
    async (_, subscribe) => {
      await logOfRegisterSettled(register);
      const { data } = await graphOf(register, admin)('{ latestRegisterEvents(first: 1) { cursor } }');
      const after = String(data.latestRegisterEvents[0].cursor);
      const untouched = subscribe(register.gateway, admin, { query: EVENTS, variables: { after } });
      const resuming = resumingClient(
        (cursor) => subscribe(replicaUrl, admin, { query: EVENTS, variables: { after: cursor } }),
        after,
      );
      for (let kill = 0; kill < KILLS; kill += 1) {
        const writing = (async () => {
          for (let each = 0; each < REGISTRATIONS; each += 1) await registered(dataUser.rest, ir);
        })();
        const seen = resuming.told.length;
        await until(() => (resuming.told.length > seen ? true : undefined), 30_000);
        await replica.kill();
        await writing;
        replica = await startRegisterProcess(environment);
      }
      const expected = await loggedAfter(after);
      expect(expected).toHaveLength(KILLS * REGISTRATIONS);
      await until(() => (resuming.told.length >= expected.length ? true : undefined), 30_000);
      expect(resuming.told).toEqual(expected);
      expect((await untouched.first(expected.length)).map(({ data: each }) => each.registerEvents.id)).toEqual(
        expected,
      );
      await Promise.all([resuming.stop(), untouched.stop()]);
    },
    600_000,
  );
});

/** A client that begins again after the last cursor that it received, whenever its connection ends. */
function resumingClient(subscribe: (cursor: string) => Subscriber, after: string) {
  const told: string[] = [];
  let cursor = after;
  let isStopped = false;
  let current: Subscriber;
  const running = (async () => {
    while (!isStopped) {
      current = subscribe(cursor);
      const taken = current;
      const take = () => {
        for (const { data } of taken.told.splice(0)) {
          told.push(data.registerEvents.id);
          ({ cursor } = data.registerEvents);
        }
      };
      const taking = setInterval(take, 10);
      await taken.ended;
      clearInterval(taking);
      take();
      await new Promise((resolve) => void setTimeout(resolve, 100));
    }
  })();
  return {
    told,
    async stop() {
      isStopped = true;
      await current.stop();
      await running;
    },
  };
}
