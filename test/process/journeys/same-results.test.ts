import { join } from 'node:path';
import { type Place, type RegisterProcess, placeOf, sandboxOf, startTogether } from '../../support/register';
import { consentRecord } from '../../support/records';
import { accountOf, tokenOf } from '../../support/rest-client';
import { routerOperations } from '../../support/router-operations';
import { freePorts } from '../../support/run/templates';

/** Divisions of the services into processes; the others are compared with the first one. */
const DIVISIONS = {
  'one process': ['identity,access,grid-models,tariffs,gateway,rest-adapter'],
  'two processes, the clock of one an hour ahead,': ['access,identity', 'grid-models,tariffs,gateway,rest-adapter'],
  'a process each': ['identity', 'access', 'grid-models', 'tariffs', 'gateway', 'rest-adapter'],
} as const;
type Division = keyof typeof DIVISIONS;
const OTHERS = Object.keys(DIVISIONS).slice(1) as Division[];

const ROLES = ['data_user', 'admin', 'analyst', 'supplier'] as const;
type Sender = (typeof ROLES)[number] | 'anonymous' | 'wrong';

/** A register in one division. */
interface Divided {
  readonly place: Place;
  readonly rest: string;
  readonly gateway: string;
  readonly tokens: Readonly<Record<Sender, string | undefined>>;
  readonly processes: readonly RegisterProcess[];
}

/** URLs that responses contain: equal for all, although each register listens on its own ports. */
const PUBLIC_URLS = { BASE_URL: 'http://localhost:4001/v1', PORTAL_URL: 'http://localhost:4002' };

/** The environment of a process whose clock is an hour ahead of the others and of the database. */
const HOUR_AHEAD = {
  NODE_OPTIONS: `--require ${join(__dirname, '..', '..', 'support', 'shifted-clock.js')}`,
  CLOCK_SHIFT_MS: '3600000',
  LOG_LEVEL: 'info',
};

async function divided(name: string, parts: readonly string[]): Promise<Divided> {
  const place = await placeOf();
  const ports = await freePorts();
  const common = { ...place.environment, ...ports, ...PUBLIC_URLS, LOG_LEVEL: 'error' };
  const processes = await startTogether(
    parts.map((services, index) => ({
      ...common,
      ...(index === 0 && name.includes('an hour ahead') ? HOUR_AHEAD : {}),
      SERVICES: services,
    })),
  );
  const urls = { rest: `http://localhost:${ports.REST_PORT}`, gateway: `http://localhost:${ports.GATEWAY_PORT}` };
  const tokens = await Promise.all(
    ROLES.map(async (role) => [role, await tokenOf({ ...urls, sandbox: sandboxOf(place.dataDir) }, role)] as const),
  );
  return {
    place,
    ...urls,
    processes,
    tokens: { ...(Object.fromEntries(tokens) as Record<Sender, string>), anonymous: undefined, wrong: 'wrong' },
  };
}

/** Headers to compare; connection headers and the date are omitted. */
const COMPARED_HEADERS = [
  'content-type',
  'etag',
  'cache-control',
  'www-authenticate',
  'allow',
  'location',
  'retry-after',
];

/** Time of the first request of this test. */
let began = '';
/** Random values: transaction ids, tokens, and keys of objects that a request of this test creates. */
const RANDOM = /\b(tid|evt|tref|rtk)_[0-9a-z]{24,}|\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const CREATED = /\b(ak|ir|wid|whsec)_[\w+/=-]{20,}/g;
const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

interface Exchange {
  readonly from: Sender;
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** True if the response contains keys of created objects. */
  readonly creates?: true;
}

/** Sends a request; returns status, headers and body, with random values replaced. */
async function responseOf(to: Divided, { from, method, path, body, creates }: Exchange): Promise<string> {
  const token = to.tokens[from];
  const response = await fetch(path === '/graphql' ? `${to.gateway}/graphql` : `${to.rest}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const headers = COMPARED_HEADERS.map((name) => `${name}: ${response.headers.get(name)}`);
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const whole = [`${method} ${path} ${response.status}`, ...headers, text].join('\n');
  const known = whole
    .replace(RANDOM, '<random>')
    .replace(INSTANT, (at) => (at >= began && at <= new Date().toISOString() ? '<now>' : at));
  return creates ? known.replace(CREATED, '<created>') : known;
}

function exchangesOf({ place }: Divided): Exchange[] {
  const sandbox = sandboxOf(place.dataDir);
  const { samples, tariff, grid } = sandbox;
  const keys = Object.values(samples.access_keys);
  const record = JSON.stringify(consentRecord(samples.identity_record));
  const { duid } = accountOf(sandbox, 'data_user');
  const senders: readonly Sender[] = [...ROLES, 'anonymous', 'wrong'];
  const read = (path: string, ...from: Sender[]): Exchange[] =>
    from.map((each) => ({ from: each, method: 'GET', path }));
  const graph = Object.values(routerOperations(sandbox)).flatMap((query) =>
    senders.map((from): Exchange => ({ from, method: 'POST', path: '/graphql', body: JSON.stringify({ query }) })),
  );
  return [
    ...keys.flatMap((key) => read(`/v1/access-records/${key}`, 'anonymous', 'data_user', 'wrong')),
    ...read(`/v1/access-records/ak_${'0'.repeat(24)}`, 'anonymous', 'data_user'),
    ...read('/v1/access-records/nonsense', 'data_user'),
    ...read('/v1/webhooks', ...senders),
    ...read(`/v1/data-users/${duid}`, ...senders),
    ...read(`/v1/identity-records/${samples.identity_record}`, ...senders),
    ...read(`/v1/identity-records?mpxn=${samples.mpxn}`, 'data_user', 'anonymous'),
    ...read('/v1/identity-records?unknown=1', 'data_user'),
    ...read(`/v1/meter-points/${samples.mpxn}/access-records`, 'data_user', 'anonymous'),
    ...read(`/show-consents/${samples.mpxn}`, 'data_user', 'anonymous'),
    ...read('/suppliers', 'anonymous', 'wrong'),
    ...read(`/tariffs/${tariff.tariff_id}`, 'anonymous'),
    ...read(`/v1/projects?licenceArea=${grid.area}`, 'anonymous'),
    ...read('/openapi.json', 'anonymous'),
    ...read('/.well-known/jwks.json', 'anonymous'),
    ...read('/absent', 'anonymous'),
    { from: 'data_user', method: 'PATCH', path: '/v1/webhooks' },
    { from: 'anonymous', method: 'POST', path: '/v1/access-records', body: record },
    { from: 'analyst', method: 'POST', path: '/v1/access-records', body: record },
    { from: 'data_user', method: 'POST', path: '/v1/access-records', body: '{"record-metadata": 1}' },
    { from: 'data_user', method: 'POST', path: '/v1/access-records', body: '{' },
    { from: 'data_user', method: 'DELETE', path: `/v1/access-records/${samples.access_keys.revoked}` },
    { from: 'data_user', method: 'POST', path: '/graphql', body: '{"query": "{ viewer { nothing } }"}' },
    { from: 'data_user', method: 'POST', path: '/graphql', body: 'nonsense' },
    ...graph,
    { from: 'data_user', method: 'POST', path: '/v1/access-records', body: record, creates: true },
  ];
}

describe('The responses of a register', () => {
  const registers = new Map<Division, Divided>();
  /** Responses to the same requests in the same order, each with its caller. */
  const responses = new Map<Division, readonly string[]>();
  beforeAll(async () => {
    for (const [name, parts] of Object.entries(DIVISIONS)) registers.set(name as Division, await divided(name, parts));
  });
  beforeAll(async () => {
    began = new Date().toISOString();
    for (const [name, register] of registers) {
      const received: string[] = [];
      for (const exchange of exchangesOf(register))
        received.push(`${exchange.from} ${await responseOf(register, exchange)}`);
      responses.set(name, received);
    }
  });
  afterAll(async () => {
    for (const { processes, place } of registers.values()) {
      await Promise.all(processes.map((each) => each.stop()));
      await place.remove();
    }
  });

  it('come from a process whose clock is ahead, in the division with that name', () => {
    const ahead = registers.get('two processes, the clock of one an hour ahead,')?.processes[0]?.output() ?? '';
    const [, loggedAt = ''] = /"time":"([^"]+)"/.exec(ahead) ?? [];
    expect(Date.parse(loggedAt) - Date.now()).toBeGreaterThan(50 * 60_000);
  });

  it.each(OTHERS)('of %s are byte for byte equal to those of one process', (division) => {
    const whole = responses.get('one process') as readonly string[];
    expect(whole.length).toBeGreaterThan(200);
    expect(responses.get(division)).toEqual(whole);
    const statuses = new Set(whole.map((response) => response.split('\n')[0]?.split(' ').at(-1)));
    expect([...statuses]).toEqual(expect.arrayContaining(['200', '201', '400', '401', '403', '404', '405']));
  });
});
