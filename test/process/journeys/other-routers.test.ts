import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { SERVICES, SUBGRAPHS, type Subgraph } from '../../../process/settings/keys';
import type { ServiceName } from '../../../subgraphs/server/callers/caller';
import { ServiceAgent } from '../../../subgraphs/server/link/peer-check';
import { consumerParties, namesOfTheirOwn } from '../../support/consumer-parties';
import { type GraphResponse, type Graph, graphOf } from '../../support/graph';
import { identityOf, startHiveGateway } from '../../support/other-router';
import { type Place, type RegisterProcess, placeOf, sandboxOf, startTogether } from '../../support/register';
import { accountOf, tokenOf } from '../../support/rest-client';
import { routerOperations } from '../../support/router-operations';
import { freePorts } from '../../support/run/templates';
import { PUBLISH, supplierInput, tariffInput } from '../../support/tariff-graph';
import { yearOfRates } from '../../support/year-of-rates';

const ROLES = ['data_user', 'admin', 'analyst', 'anonymous'] as const;

/** The code for a document that the router itself rejects; the gateway of the register uses VAL003. */
const INVALID_DOCUMENT = 'GRAPHQL_VALIDATION_FAILED';

/** The parts of a response to compare. A failed operation has no data or only nulls, depending on the router. */
function learned({ data, errors }: GraphResponse) {
  const isEmpty = data === null || Object.values(data as object).every((value) => value === null);
  const codes = errors.map(({ extensions: { code } = { code: 'none' } }) =>
    code === INVALID_DOCUMENT ? 'VAL003' : code,
  );
  return { data: isEmpty ? null : data, codes: [...new Set(codes)].toSorted() };
}

describe('Hive Gateway in front of the four subgraphs, configured as documented,', () => {
  let place: Place;
  let ports: Record<string, string>;
  const agents: ServiceAgent[] = [];
  let processes: RegisterProcess[] = [];
  let hive: Awaited<ReturnType<typeof startHiveGateway>>;
  let register: { gateway: string; rest: string; sandbox: ReturnType<typeof sandboxOf> };
  const clients = new Map<string, { registerClient: Graph; hiveClient: Graph }>();

  beforeAll(async () => {
    place = await placeOf();
    ports = await freePorts();
    const many = '100000';
    const limits = { RATE_LIMITS: 'on', LIMIT_REQUESTS: many, LIMIT_GRID_FILES: many, LIMIT_PUBLIC_LOOKUPS: many };
    const common = { ...place.environment, ...ports, ...limits, LOG_LEVEL: 'error' };
    const services = [...SUBGRAPHS, 'gateway,rest-adapter'];
    processes = await startTogether(services.map((names) => ({ ...common, SERVICES: names })));
    hive = await startHiveGateway(place.dataDir, ports);
    register = {
      gateway: `http://localhost:${ports['GATEWAY_PORT']}`,
      rest: `http://localhost:${ports['REST_PORT']}`,
      sandbox: sandboxOf(place.dataDir),
    };
    for (const role of ROLES) {
      const token = role === 'anonymous' ? undefined : await tokenOf(register, role);
      clients.set(role, {
        registerClient: graphOf(register, token),
        hiveClient: graphOf({ gateway: hive.url }, token),
      });
    }
  });
  afterAll(async () => {
    for (const agent of agents) agent.destroy();
    await hive?.stop();
    await Promise.all(processes.map((each) => each.stop()));
    await place.remove();
  });

  it.each(ROLES)('returns to %s the same results and errors as the gateway of the register', async (role) => {
    const { registerClient, hiveClient } = clients.get(role) as { registerClient: Graph; hiveClient: Graph };
    const operations = Object.entries(routerOperations(register.sandbox));
    expect(operations.length).toBeGreaterThanOrEqual(30);
    const [own, other]: Record<string, unknown>[] = [{}, {}];
    for (const [name, operation] of operations) {
      (own as Record<string, unknown>)[name] = learned(await registerClient(operation));
      (other as Record<string, unknown>)[name] = learned(await hiveClient(operation));
    }
    expect(other).toEqual(own);
    const responses = Object.entries(own as Record<string, ReturnType<typeof learned>>);
    expect(responses.filter(([, { data }]) => data !== null).length).toBeGreaterThan(8);
    expect(responses.filter(([, { codes }]) => codes.includes('VAL003')).map(([name]) => name)).toEqual([
      'a service field',
    ]);
  });

  it('passes on a tariff with a year of half-hourly prices', async () => {
    const { registerClient, hiveClient } = clients.get('admin') as { registerClient: Graph; hiveClient: Graph };
    const mpid = randomBytes(2).toString('hex').toUpperCase();
    const save = 'mutation ($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }';
    expect((await registerClient(save, { input: supplierInput(mpid) })).errors).toEqual([]);
    const tariffId = `trf_${randomBytes(16).toString('hex')}`;
    const input = { ...tariffInput(1), mpid, tariffId, rates: yearOfRates() };
    const { data, errors } = await hiveClient(PUBLISH, { input });
    expect(errors).toEqual([]);
    expect(data.publishTariff.isNew).toBe(true);
  });

  it('rejects a suspended account immediately, in every subgraph', async () => {
    const { hiveClient } = clients.get('data_user') as { hiveClient: Graph };
    const admin = clients.get('admin') as { registerClient: Graph };
    const { account_id: id } = accountOf(register.sandbox, 'data_user');
    const operation = '{ viewer { role } identityRecords(email: "a@b.example") { ir } }';
    expect(learned(await hiveClient(operation)).codes).toEqual([]);
    expect((await admin.registerClient(`mutation { suspendAccount(accountId: "${id}") { status } }`)).errors).toEqual(
      [],
    );
    expect(learned(await hiveClient(operation))).toEqual({ data: null, codes: ['AUT001'] });
    expect(
      (await admin.registerClient(`mutation { reactivateAccount(accountId: "${id}") { status } }`)).errors,
    ).toEqual([]);
  });

  it('passes on the address of each client, so that one beyond a rate limit does not limit others, nor evades it', async () => {
    const { account_id: accountId, secret_key: secret } = accountOf(register.sandbox, 'data_user');
    /** Signs in over a connection from a local address; returns the code of the first error. */
    const signIn = async (localAddress: string, secretKey: string, forwarded: Record<string, string> = {}) => {
      const query =
        'mutation ($accountId: String!, $secretKey: String!) { issueBearerToken(accountId: $accountId, secretKey: $secretKey) { bearerToken } }';
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { 'content-type': 'application/json', ...forwarded };
        httpRequest(`${hive.url}/graphql`, { method: 'POST', localAddress, headers }, resolve)
          .on('error', reject)
          .end(JSON.stringify({ query, variables: { accountId, secretKey } }));
      });
      const { errors } = (await json(response)) as GraphResponse;
      return errors?.[0]?.extensions['code'] ?? 'signed in';
    };
    const attempts: unknown[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1)
      attempts.push(await signIn('127.0.0.2', 'wrong', { 'x-forwarded-for': `192.0.2.${attempt}` }));
    expect(attempts.slice(-2)).toEqual(['LIM002', 'LIM002']);
    expect(await signIn('127.0.0.2', secret, { 'x-forwarded-for': '192.0.2.99' })).toBe('LIM002');
    expect(await signIn('127.0.0.3', secret)).toBe('signed in');
  });

  it('is the only permitted caller: keys of other services and clients without a key are rejected', async () => {
    for (const subgraph of SUBGRAPHS) {
      const statuses = await Promise.all(
        SERVICES.map(
          async (from) => [from, await statusOf(from, subgraph, { query: '{ _service { sdl } }' })] as const,
        ),
      );
      expect(statuses.filter(([, status]) => status !== 403)).toEqual([['gateway', 200]]);
    }
    expect(await statusOf(undefined, 'access', { query: '{ _service { sdl } }' })).toBe(403);
    for (const malformed of [{}, { query: 1 }, { query: '{ __typename }', variables: [] }, []])
      expect(await responseOf('gateway', 'access', malformed)).toMatchObject({
        errors: [{ extensions: { code: 'VAL010' } }],
      });
  });

  it('cannot call as the service itself', async () => {
    const query = '{ _service { sdl } admission(accountId: "acc_1") { status } }';
    expect(await responseOf('gateway', 'access', { query })).toMatchObject({
      errors: [{ path: ['admission'], extensions: { code: 'AUT001' } }],
    });
  });

  /** Sends a body to a subgraph with the key of a service, or without one, and with headers of a caller. */
  function post(
    from: ServiceName | undefined,
    to: Subgraph,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<IncomingMessage> {
    const agent = from && new ServiceAgent(identityOf(place.dataDir, from), to);
    agents.push(...(agent ? [agent] : []));
    const url = `https://localhost:${ports[`${to.toUpperCase().replace('-', '_')}_PORT`]}/graphql`;
    return new Promise((resolve, reject) => {
      const type = { 'content-type': 'application/json' };
      const options = { method: 'POST', headers: { ...headers, ...type }, rejectUnauthorized: false };
      request(url, { ...options, ...(agent ? { agent } : {}) }, resolve)
        .on('error', reject)
        .end(JSON.stringify(body));
    });
  }
  const statusOf = async (...call: Parameters<typeof post>) => (await post(...call)).resume().statusCode;
  const responseOf = async (...call: Parameters<typeof post>) => json(await post(...call));

  it('cannot mix checks and changes in one request to a subgraph', async () => {
    const { account_id: accountId } = accountOf(register.sandbox, 'analyst');
    const suspended = (more: string) => `suspendAccount(accountId: "${accountId}"${more}) { status }`;
    const query = `mutation { checked: ${suspended(', dryRun: true')} changed: ${suspended('')} }`;
    const credentials = { authorization: `Bearer ${await tokenOf(register, 'admin')}` };
    expect(await responseOf('gateway', 'access', { query }, credentials)).toMatchObject({
      errors: [{ extensions: { code: 'VAL003' } }],
    });
    const analyst = graphOf(register, await tokenOf(register, 'analyst'));
    expect(learned(await analyst('{ viewer { role } }'))).toEqual({ data: { viewer: { role: 'ANALYST' } }, codes: [] });
  });

  it('passes credentials on, and the subgraphs verify them', async () => {
    const wrong = { registerClient: graphOf(register, 'wrong'), hiveClient: graphOf({ gateway: hive.url }, 'wrong') };
    for (const operation of [
      '{ viewer { role } }',
      '{ suppliers(first: 1) { nodes { mpid } } }',
      '{ licenceAreas { code } }',
    ])
      expect(learned(await wrong.hiveClient(operation))).toEqual(learned(await wrong.registerClient(operation)));
  });

  it('passes on the withdrawal of consent of a consumer whose RTI User is suspended, and nothing else of it', async () => {
    const parties = await consumerParties(register, namesOfTheirOwn());
    try {
      const userId = parties.users.active;
      const token = await parties.supplier.issuer.token({ sub: 'anna', client_id: userId, mpxn: [parties.mpxn] });
      const consumer = graphOf({ gateway: hive.url }, token);
      const given = await consumer('mutation { giveTariffConsent { registrationId } }');
      const { registrationId } = given.data.giveTariffConsent;
      await parties.admin(`mutation { setRtiUserStatus(userId: "${userId}", status: SUSPENDED) { status } }`);
      expect(learned(await consumer('mutation { giveTariffConsent { isNew } }')).codes).toEqual(['RTI001']);
      const revoke = `mutation { revokeTariffConsent(registrationId: "${registrationId}") { registrationId } }`;
      expect(learned(await consumer(revoke))).toEqual({ data: { revokeTariffConsent: { registrationId } }, codes: [] });
    } finally {
      await parties.close();
    }
  });
});
