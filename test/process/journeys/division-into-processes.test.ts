import { ASKS } from '../../../process/asks';
import { graphAs } from '../../support/graph';
import { type Place, type RegisterProcess, freePort, placeOf, sandboxOf, startTogether } from '../../support/register';
import { anonymousClient } from '../../support/rest-client';

const IS_LONG = process.env['TEST_LONG'] !== undefined;

/** That nobody is with anybody is how users are tried; that all are together, everywhere else. */
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

describe('The divisions that are tried', () => {
  it('put apart, in one or the other, every two services of which one asks the other', () => {
    const pages = ['portal', 'console'];
    const asking = Object.entries(ASKS).filter(([service]) => !pages.includes(service));
    const pairs = asking.flatMap(([service, asked]) => asked.map((other) => [service, other] as const));
    const together = pairs.filter(([one, other]) =>
      SUBSETS.every((parts) => parts.some((part) => [one, other].every((name) => part.split(',').includes(name)))),
    );
    expect(pairs.length).toBeGreaterThan(0);
    expect(together).toEqual([]);
  });
});

describe.each(SUBSETS)('A register of two processes, %s and %s,', (first, second) => {
  let place: Place;
  let rest: string;
  let gateway: string;
  let processes: RegisterProcess[] = [];

  beforeAll(async () => {
    place = await placeOf();
    const variables = ['GATEWAY_PORT', 'REST_PORT', 'ACCESS_PORT', 'IDENTITY_PORT', 'GRID_MODELS_PORT', 'TARIFFS_PORT'];
    const ports = Object.fromEntries(
      await Promise.all(variables.map(async (name) => [name, String(await freePort())] as const)),
    );
    rest = `http://localhost:${ports['REST_PORT']}`;
    gateway = `http://localhost:${ports['GATEWAY_PORT']}`;
    const common = { ...place.environment, ...ports, LOG_LEVEL: 'error' };
    processes = await startTogether([first, second].map((services) => ({ ...common, SERVICES: services })));
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()));
    await place.remove();
  });

  it('answers for each part: records, sign-in and the keys of the tokens', async () => {
    const anonymous = anonymousClient(rest);
    expect((await anonymous('GET', `/v1/access-records/ak_${'0'.repeat(24)}`)).status).toBe(404);
    const signIn = anonymousClient(rest, `Basic ${btoa('acc_none:sk_none')}`);
    expect((await signIn('GET', '/v1/auth/token')).status).toBe(401);
    const keySet = await anonymous('GET', '/.well-known/jwks.json');
    expect([keySet.status, keySet.body['keys']]).toEqual([200, [expect.objectContaining({ kty: 'OKP' })]]);
  });

  it('knows the bearer of a token in each subgraph', async () => {
    const register = { rest, gateway, sandbox: sandboxOf(place.dataDir) };
    const analyst = await graphAs(register, 'analyst');
    const asked = '{ viewer { role } licenceAreas { code } suppliers(first: 1) { nodes { mpid } } }';
    const { data, errors } = await analyst(asked);
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ viewer: { role: 'ANALYST' } });
    const dataUser = await graphAs(register, 'data_user');
    expect((await dataUser('{ identityRecords(email: "nobody@home.example") { ir } }')).errors).toEqual([]);
  });

  it('is ready in all parts', async () => {
    expect((await fetch(`${gateway}/health`)).status).toBe(200);
  });
});
