import { SERVICE_DEPENDENCIES } from '../../../process/service-dependencies';
import { backOffice } from '../../support/console-visitor';
import { graphAs } from '../../support/graph';
import { type Place, type RegisterProcess, freePort, placeOf, sandboxOf, startTogether } from '../../support/register';
import { anonymousClient } from '../../support/rest-client';
import { freePorts } from '../../support/run/templates';

const IS_LONG = process.env['TEST_LONG'] !== undefined;

/** Divisions that other tests do not cover: those run a process per service (test/users) or one process. */
const SUBSETS: readonly (readonly [string, string])[] = [
  ['access,rest-adapter', 'identity,grid-models,tariffs,gateway'],
  ['gateway,rest-adapter', 'identity,access,grid-models,tariffs'],
  ...(IS_LONG
    ? ([
        ['identity,access,grid-models,tariffs,gateway', 'rest-adapter'],
        ['identity,access,grid-models,tariffs,rest-adapter', 'gateway'],
        ['identity,tariffs', 'access,grid-models,gateway,rest-adapter'],
        ['identity,access,grid-models,gateway,rest-adapter', 'tariffs'],
        ['identity,access,tariffs,gateway,rest-adapter', 'grid-models'],
        ['access,grid-models', 'identity,tariffs,gateway,rest-adapter'],
      ] as const)
    : []),
];

describe('The divisions under test', () => {
  it('separate any two services that call each other in at least one division', () => {
    const pages = ['portal', 'console'];
    const callers = Object.entries(SERVICE_DEPENDENCIES).filter(([service]) => !pages.includes(service));
    const pairs = callers.flatMap(([service, called]) => called.map((other) => [service, other] as const));
    const together = pairs.filter(([one, other]) =>
      SUBSETS.every((parts) => parts.some((part) => [one, other].every((name) => part.split(',').includes(name)))),
    );
    expect(pairs.length).toBeGreaterThan(0);
    expect(together).toEqual([]);
  });
});

describe.each(SUBSETS)('A register in two processes, %s and %s, and a console', (first, second) => {
  let place: Place;
  let rest: string;
  let gateway: string;
  let consoleUrl: string;
  let processes: RegisterProcess[] = [];

  beforeAll(async () => {
    place = await placeOf();
    const ports = await freePorts();
    rest = `http://localhost:${ports['REST_PORT']}`;
    gateway = `http://localhost:${ports['GATEWAY_PORT']}`;
    consoleUrl = `http://localhost:${ports['CONSOLE_PORT']}`;
    const common = { ...place.environment, ...ports, LOG_LEVEL: 'error' };
    const unreachable = { GATEWAY_PORT: String(await freePort()) }; // the console does not need the public port of the gateway
    processes = await startTogether([
      ...[first, second].map((services) => ({ ...common, SERVICES: services })),
      { ...common, ...unreachable, SERVICES: 'console' },
    ]);
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()));
    await place.remove();
  });

  it('serves records, sign-in and the keys of the tokens', async () => {
    const anonymous = anonymousClient(rest);
    expect((await anonymous('GET', `/v1/access-records/ak_${'0'.repeat(24)}`)).status).toBe(404);
    const signIn = anonymousClient(rest, `Basic ${btoa('acc_none:sk_none')}`);
    expect((await signIn('GET', '/v1/auth/token')).status).toBe(401);
    const keySet = await anonymous('GET', '/.well-known/jwks.json');
    expect([keySet.status, keySet.body['keys']]).toEqual([200, [expect.objectContaining({ kty: 'OKP' })]]);
  });

  it('authenticates a bearer token in each subgraph', async () => {
    const register = { rest, gateway, sandbox: sandboxOf(place.dataDir) };
    const analyst = await graphAs(register, 'analyst');
    const query = '{ viewer { role } licenceAreas { code } suppliers(first: 1) { nodes { mpid } } }';
    const { data, errors } = await analyst(query);
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ viewer: { role: 'ANALYST' } });
    const dataUser = await graphAs(register, 'data_user');
    expect((await dataUser('{ identityRecords(email: "nobody@home.example") { ir } }')).errors).toEqual([]);
  });

  it('sends live events to the console over mutual TLS', async () => {
    const page = await (await backOffice({ console: consoleUrl, sandbox: sandboxOf(place.dataDir) })).watch();
    expect((await page.next('connection', ({ data }) => data.isConnected)).data).toEqual({ isConnected: true });
    page.close();
  });

  it('is ready', async () => {
    expect((await fetch(`${gateway}/health`)).status).toBe(200);
  });
});
