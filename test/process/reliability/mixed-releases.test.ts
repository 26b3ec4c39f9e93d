import { join } from 'node:path';
import { graphOf } from '../../support/graph';
import { type Place, type RegisterProcess, placeOf, sandboxOf, startTogether } from '../../support/register';
import { anonymousClient, tokenOf } from '../../support/rest-client';
import { freePorts } from '../../support/run/templates';
import { until } from '../../support/until';

const EARLIER = `--require ${join(__dirname, '..', '..', 'support', 'earlier-subgraph.js')}`;

/** An order that `docs/operations.md` forbids: `access` is of an earlier release than its callers and lacks a field that they read. */
describe('The gateway and other services of a new release, before `access` is replaced,', () => {
  let place: Place;
  let environment: Record<string, string>;
  let others: RegisterProcess;
  let access: RegisterProcess | undefined;
  let urls: { rest: string; gateway: string };
  let token: string;

  const accessLacking = (field: string) => ({
    ...environment,
    SERVICES: 'access',
    NODE_OPTIONS: EARLIER,
    EARLIER_RELEASE_LACKS: field,
  });
  beforeAll(async () => {
    place = await placeOf();
    const ports = await freePorts();
    environment = { ...place.environment, ...ports, LOG_LEVEL: 'warn' } as Record<string, string>;
    urls = { rest: `http://localhost:${ports.REST_PORT}`, gateway: `http://localhost:${ports.GATEWAY_PORT}` };
    const services = { ...environment, SERVICES: 'identity,grid-models,tariffs,gateway,rest-adapter' };
    [others, access] = (await startTogether([services, { ...environment, SERVICES: 'access' }])) as [
      RegisterProcess,
      RegisterProcess,
    ];
    token = await tokenOf({ rest: urls.rest, sandbox: sandboxOf(place.dataDir) }, 'data_user');
    await access.stop();
  });
  afterEach(() => access?.stop());
  afterAll(async () => {
    await others?.stop();
    await place.remove();
  });

  const activeKey = () => sandboxOf(place.dataDir).samples.access_keys.active;
  const verify = async () => {
    const { status, body } = await anonymousClient(urls.rest)('GET', `/v1/access-records/${activeKey()}`);
    return { status, code: body?.['errors']?.[0]?.['error-code'] as unknown };
  };
  const signedIn = async (method: string, path: string, sent?: unknown) => {
    const { status, body } = await anonymousClient(urls.rest, `Bearer ${token}`)(method as 'GET', path, sent);
    return { status, code: body?.['errors']?.[0]?.['error-code'] as unknown };
  };
  const query = async (fields: string) => {
    const { status, errors } = await graphOf(urls)(`{ accessRecord(key: "${activeKey()}") { ${fields} } }`);
    return { status, code: errors[0]?.extensions.code };
  };
  const reidentify = { mpxn: '9912345678', method: 'magic-link' };

  it.each([
    ['a verification', 'AccessRecord.version', 'gateway', verify],
    ['an operation that a client wrote', 'AccessRecord.version', 'gateway', () => query('version')],
    ['a request with a bearer token', 'Admission.allowed', 'gateway', () => signedIn('GET', '/v1/webhooks')],
    [
      'a request for which another service reads the field',
      'Organisation.mayAssertVerified',
      'identity',
      () => signedIn('POST', '/v1/identity-records/reidentify', reidentify),
    ],
  ])('respond to %s with 503, and the log has the missing field and both services', async (_, lacks, from, request) => {
    [access] = await startTogether([accessLacking(lacks)]);
    const [type, field] = lacks.split('.');
    const problem = `Cannot query field "${field}" on type "${type}".`;
    const line = await until(async () => {
      expect(await request()).toEqual({ status: 503, code: 'SYS002' });
      return (access?.output() ?? '').split('\n').find((each) => each.includes('request of another release rejected'));
    });
    expect(JSON.parse(line)).toMatchObject({
      from,
      service: 'access',
      problems: [expect.stringContaining(problem)],
    });
    if (lacks.startsWith('AccessRecord')) expect((await query('processing { purpose }')).status).toBe(200);
  });
});
