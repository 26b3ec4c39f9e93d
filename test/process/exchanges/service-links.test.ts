import dns from 'node:dns/promises';
import { once } from 'node:events';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { type TLSSocket, connect } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { buildSchema } from 'graphql';
import { WebSocket } from 'ws';
import { SERVICES } from '../../../process/settings/keys';
import { RegisterError } from '../../../schema/register-error';
import type { CallContext, ServiceName } from '../../../subgraphs/server/callers/caller';
import { SERVICE_RIGHTS } from '../../../subgraphs/server/callers/service-rights';
import { remoteLink } from '../../../subgraphs/server/graph/remote-link';
import { subgraphCalls } from '../../../subgraphs/server/graph/subgraph-calls';
import { type SubgraphLink, localLink } from '../../../subgraphs/server/graph/subgraph-link';
import { LINK_PROTOCOL } from '../../../subgraphs/server/link/link-messages';
import { type LinkHandler } from '../../../subgraphs/server/link/link-server';
import { ServiceAgent, tlsSettings } from '../../../subgraphs/server/link/peer-check';
import { serviceFetch } from '../../../subgraphs/server/link/service-requests';
import { LinkedServices, newServiceKey } from '../../support/linked-installation';
import { until } from '../../support/until';

let services: LinkedServices;
beforeEach(() => {
  services = new LinkedServices();
});
afterEach(() => services.close());

const codeOf = (work: Promise<unknown>) => work.then(String, (error: RegisterError) => error.code);
/** Waits until a condition holds. */
const holds = (check: () => boolean | Promise<boolean>) => until(async () => (await check()) || undefined);
const logged = (text: string) => services.lines.filter((line) => line.includes(text)).length;
/** Returns the calling service. */
const whoCalls: LinkHandler = (from) => Promise.resolve(from);

describe('A service', () => {
  it('accepts calls from the services in the table and from no other', async () => {
    const { url } = await services.serve('access', whoCalls);
    for (const from of SERVICES) {
      const expected = SERVICE_RIGHTS[from].access === undefined ? 'SYS002' : from;
      expect([from, await codeOf(services.link(from, 'access', url).call({}))]).toEqual([from, expected]);
      const status = await serviceFetch(new ServiceAgent(services.identity(from), 'access'))(`${url}/keys`, {});
      expect([from, status.status]).toEqual([from, expected === 'SYS002' ? 403 : 404]);
    }
  });

  it('accepts no call with an unlisted key, with a key of another installation, or without a key', async () => {
    const { url } = await services.serve('access', whoCalls);
    const stranger = services.identity('gateway', newServiceKey());
    expect(await codeOf(services.link('gateway', 'access', url, stranger).call({}))).toBe('SYS002');
    const elsewhere = { ...new LinkedServices().identity('gateway'), publicKeys: stranger.publicKeys };
    expect(await codeOf(services.link('gateway', 'access', url, elsewhere).call({}))).toBe('SYS002');
    const bare = new WebSocket(`${url.replace('http', 'ws')}/link`, LINK_PROTOCOL, { rejectUnauthorized: false });
    expect(await new Promise((resolve) => bare.on('error', ({ message }) => resolve(message)))).toMatch('403');
    expect(logged('link rejected')).toBe(3);
  });

  it('does not call a server with the key of another service, and sends it nothing', async () => {
    const { url } = await services.serve('identity', whoCalls);
    expect(await codeOf(services.link('gateway', 'access', url).call({}))).toBe('SYS002');
    expect(await services.link('gateway', 'access', url).ready()).toBe(false);
    expect(logged('UNKNOWN_PEER')).toBe(2);
    expect(logged('link rejected')).toBe(0);
  });

  it('uses neither TLS 1.2 nor another version of the protocol', async () => {
    const { url, port } = await services.serve('access', whoCalls);
    const { key, cert } = tlsSettings(services.identity('gateway'));
    const old = connect({ port, host: '127.0.0.1', key, cert, maxVersion: 'TLSv1.2', rejectUnauthorized: false });
    expect(await new Promise((resolve) => old.on('error', ({ message }) => resolve(message)))).toMatch(/version/);
    const agent = new ServiceAgent(services.identity('gateway'), 'access');
    const later = new WebSocket(`${url.replace('http', 'ws')}/link`, 'register.2', { agent });
    expect(await new Promise((resolve) => later.on('error', ({ message }) => resolve(message)))).toMatch('400');
  });

  it('may take its time to send a request, such as a large archive, but an unauthenticated client may not', async () => {
    const { app, port } = await services.serve('grid-models', whoCalls);
    const late = Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    const isCutOff = async (credentials: object) => {
      const accepted = new Promise<TLSSocket>((resolve) => app.server.once('secureConnection', resolve));
      const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...credentials });
      client.on('error', () => undefined);
      const socket = await accepted;
      app.server.emit('clientError', late, socket);
      const { destroyed } = socket;
      client.destroy();
      return destroyed;
    };
    const { key, cert } = tlsSettings(services.identity('rest-adapter'));
    expect(await isCutOff({ key, cert })).toBe(false);
    expect(await isCutOff({})).toBe(true);
  });

  it('responds to orchestrators, which have no key, with its health only', async () => {
    const { url } = await services.serve('access', whoCalls, { routes: (app) => void app.get('/keys', () => ({})) });
    const statusOf = (path: string) =>
      new Promise((resolve) => get(url + path, { rejectUnauthorized: false }, ({ statusCode }) => resolve(statusCode)));
    expect(await Promise.all(['/health', '/health/live', '/keys', '/graphql'].map(statusOf))).toEqual([
      200, 200, 403, 403,
    ]);
  });
});

describe('The rights of a calling service', () => {
  const origin = { transactionId: 'tid_1', clientAddress: '192.0.2.1' };
  const caller = { accountId: 'acc_1', role: 'data_user', duid: null, mpid: null } as const;
  const CONTEXTS: Readonly<Record<string, Partial<CallContext>>> = {
    itself: { service: 'portal' },
    'an unauthenticated client': {},
    'a caller': { caller, bearer: 'of acc_1' },
    'an attested supplier': { caller: { ...caller, role: 'supplier', mpid: 'TIDE' }, vouched: true },
  };
  let seen: CallContext[];

  async function linkFrom(from: ServiceName): Promise<SubgraphLink> {
    seen = [];
    const link: SubgraphLink = {
      name: 'access',
      execute: (_, context) => (seen.push(context), Promise.resolve({ data: { ok: true } })),
    };
    const verifier = {
      verify: (bearer: string) =>
        bearer === 'of acc_1' ? Promise.resolve({ ...caller } as never) : Promise.reject(new RegisterError('AUT001')),
    };
    const { url } = await services.serve('access', subgraphCalls({ name: 'access', link, verifier }));
    return remoteLink('access', services.link(from, 'access', url));
  }
  const execute = (link: SubgraphLink, context: Partial<CallContext>) =>
    codeOf(link.execute({ query: '{ ok }' }, { caller: null, service: null, ...origin, ...context }));

  it.each(Object.entries(SERVICE_RIGHTS).filter(([, { access }]) => access !== undefined))(
    'are checked for %s with every message',
    async (from, { access: right }) => {
      for (const [what, context] of Object.entries(CONTEXTS)) {
        const link = await linkFrom(from as ServiceName);
        const may = right === 'callers' || (right === 'own account' && what === 'itself');
        expect([from, what, await execute(link, context)]).toEqual([from, what, may ? '[object Object]' : 'SYS002']);
        expect(seen.map(({ service }) => service)).toEqual(may ? [what === 'itself' ? from : null] : []);
      }
      expect(logged('link breached')).toBe(right === 'callers' ? 0 : right === 'own account' ? 3 : 4);
    },
  );

  it("to call for an account require that account's bearer token; an internal rejection is not a 401", async () => {
    const link = await linkFrom('gateway');
    expect(await execute(link, { caller, bearer: 'of another' })).toBe('SYS002');
    expect(await execute(link, { caller })).toBe('SYS002');
    const others = [{ accountId: 'acc_2' }, { role: 'admin' }, { duid: '0b1f' }, { mpid: 'TIDE' }] as const;
    for (const other of others)
      expect(await execute(link, { caller: { ...caller, ...other }, bearer: 'of acc_1' })).toBe('SYS002');
    expect(seen).toEqual([]);
  });

  it('attest suppliers only, without a Data User', async () => {
    for (const role of ['data_user', 'admin', 'analyst', 'portal', 'customer', 'consumer'] as const) {
      const link = await linkFrom('gateway');
      expect([role, await execute(link, { caller: { ...caller, role }, vouched: true })]).toEqual([role, 'SYS002']);
      expect(seen).toEqual([]);
    }
    expect(logged('link breached')).toBe(6);
    const supplier = { ...caller, role: 'supplier', mpid: 'TIDE' } as const;
    await execute(await linkFrom('gateway'), { caller: { ...supplier, duid: '0b1f' }, vouched: true });
    expect(seen).toMatchObject([{ caller: supplier, vouched: true }]);
  });
});

describe('A link', () => {
  it('sends concurrent requests together, and returns each response to its request, in any order', async () => {
    const echo: LinkHandler = async (_, payload) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      return payload;
    };
    const { url } = await services.serve('access', echo);
    const link = services.link('gateway', 'access', url);
    const texts = Array.from({ length: 300 }, (_, index) => `${index} \u2028 ü 😀`);
    expect(await Promise.all(texts.map((text) => link.call(text)))).toEqual(texts);
  });

  it('sends the text of a fixed document once per connection', async () => {
    const sizes: (string | boolean | undefined)[][] = [];
    const { url } = await services.serve('access', (_, __, document) => {
      sizes.push([document?.text, document?.fixed]);
      return Promise.resolve(null);
    });
    const link = services.link('gateway', 'access', url);
    for (const text of ['{ a }', '{ b }', '{ a }']) await link.call({}, { text, fixed: true });
    await link.call({}, { text: '{ a }', fixed: false });
    expect(sizes).toEqual([
      ['{ a }', true],
      ['{ b }', true],
      ['{ a }', true],
      ['{ a }', false],
    ]);
  });

  it('rejects requests beyond 512 pending ones immediately, and responds to the others', async () => {
    let response: () => void = () => undefined;
    const responded = new Promise<void>((resolve) => (response = resolve));
    let received = 0;
    const { url } = await services.serve('access', () => ((received += 1), responded.then(() => 'late')));
    const link = services.link('gateway', 'access', url);
    const first = link.call({});
    await holds(() => received === 1);
    const calls = Array.from({ length: 599 }, () => codeOf(link.call({})));
    const rejected = (await Promise.race([Promise.all(calls.slice(512)), first])) as string[];
    response();
    expect(new Set(rejected)).toEqual(new Set(['SYS002']));
    expect(new Set(await Promise.all(calls.slice(0, 511)))).toEqual(new Set(['late']));
  });

  it('fails only the response that is too large and the request that fails', async () => {
    const handle: LinkHandler = async (_, payload) => {
      if (payload === 'fails') throw new Error('broken');
      return payload === 'large' ? 'x'.repeat(16_000_000) : payload;
    };
    const { url } = await services.serve('access', handle);
    const link = services.link('gateway', 'access', url);
    const payloads = ['fails', 'large', 'x'.repeat(16_000_000), 'other'];
    expect(await Promise.all(payloads.map((payload) => codeOf(link.call(payload))))).toEqual([
      ...['SYS002', 'SYS002', 'SYS002'],
      'other',
    ]);
    expect(logged('response too large to be sent')).toBe(1);
    expect(services.lines.filter((line) => line.includes('request too large')).map((line) => JSON.parse(line))).toEqual(
      [
        expect.objectContaining({
          from: 'gateway',
          service: 'access',
          bytes: expect.any(Number),
          msg: 'request too large to be sent',
        }),
      ],
    );
    expect(services.lines.join()).not.toContain('xxx');
  });

  it('sends a document with the next request if the first one that names it is too large', async () => {
    const { url } = await services.serve('access', (_, __, document) => Promise.resolve(document?.text));
    const link = services.link('gateway', 'access', url);
    const document = { text: 'query Ready { ready }', fixed: true };
    expect(await codeOf(link.call('x'.repeat(16_000_000), document))).toBe('SYS002');
    expect(await link.call('small', document)).toBe(document.text);
    expect(logged('link breached')).toBe(0);
  });

  it('sends a document with the next request if the first one that names it has too many levels to be written', async () => {
    const { url } = await services.serve('access', (_, __, document) => Promise.resolve(document?.text));
    const link = services.link('gateway', 'access', url);
    const document = { text: 'query Ready { ready }', fixed: true };
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    await expect(link.call(deep, document)).rejects.toThrow(RangeError);
    expect(await link.call('small', document)).toBe(document.text);
    expect(logged('link breached')).toBe(0);
  });

  it('that is disconnected fails its pending requests, which are never sent again; the next request reconnects', async () => {
    const received: unknown[] = [];
    const handle: LinkHandler = (_, payload) => {
      received.push(payload);
      return payload === 'first' ? new Promise(() => undefined) : Promise.resolve(payload);
    };
    const server = await services.serve('access', handle);
    server.app.server.on('secureConnection', (socket) => sockets.push(socket));
    const sockets: { destroy(): void }[] = [];
    const link = services.link('gateway', 'access', server.url);
    const first = codeOf(link.call('first'));
    await holds(() => received.length === 1);
    for (const socket of sockets) socket.destroy();
    expect(await first).toBe('SYS002');
    expect(await link.call('second')).toBe('second');
    expect(received).toEqual(['first', 'second']);
  });

  it('of a service that stops responds to the received requests, and accepts no more', async () => {
    let response: () => void = () => undefined;
    const responded = new Promise<string>((resolve) => (response = () => resolve('done')));
    let received = 0;
    const server = await services.serve('access', (_, payload) => {
      received += 1;
      return payload === 'slow' ? responded : Promise.resolve('at once');
    });
    const link = services.link('gateway', 'access', server.url);
    const slow = link.call('slow');
    await holds(() => received === 1);
    const closed = server.close();
    await holds(async () => (await codeOf(link.call('fast'))) === 'SYS002');
    response();
    expect(await slow).toBe('done');
    await closed;
  });

  it('of a service that stops responds to requests that were sent before its caller read of the stop', async () => {
    const server = await services.serve('access', (_, payload) => Promise.resolve(payload));
    const link = services.link('gateway', 'access', server.url);
    await link.call('first');
    const sent = Array.from({ length: 100 }, (_, index) => `request ${index}`);
    const results = Promise.all(sent.map((payload) => codeOf(link.call(payload))));
    const closed = server.close();
    expect(await results).toEqual(sent);
    await closed;
  });

  it('and its key set are served until the service has closed, and its health is 503 meanwhile', async () => {
    let respond: () => void = () => undefined;
    const responded = new Promise<string>((resolve) => (respond = () => resolve('done')));
    let received = 0;
    const server = await services.serve('access', () => ((received += 1), responded), {
      routes: (app) => void app.get('/keys', () => ({})),
    });
    const open = services.link('gateway', 'access', server.url).call({}); // keeps the server closing
    await holds(() => received === 1);
    const agent = new ServiceAgent(services.identity('gateway'), 'access');
    const statusOf = async (path: string) => (await serviceFetch(agent)(server.url + path, {})).status;
    expect(await statusOf('/health')).toBe(200);
    const closed = server.close();
    await holds(async () => (await statusOf('/health')) === 503);
    expect(await statusOf('/keys')).toBe(200);
    respond();
    expect(await open).toBe('done');
    await closed;
    agent.destroy();
  });

  it('is ready while one of two replicas stops, and not while its service reports that it is not', async () => {
    let respond: () => void = () => undefined;
    const responded = new Promise<string>((resolve) => (respond = () => resolve('done')));
    const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    jest.spyOn(dns, 'lookup').mockResolvedValue(addresses as never);
    let isReady = true;
    let port = 0;
    const received: string[] = [];
    const replicas = [];
    for (const { address: host } of addresses) {
      const handle: LinkHandler = () => (received.push(host), responded);
      const replica = await services.serve('access', handle, { host, port, ready: async () => isReady });
      replicas.push(replica);
      ({ port } = replica);
    }
    const link = services.link('gateway', 'access', `https://access.example:${port}`);
    const slow = [link.call({})];
    await holds(() => (slow.push(link.call({})), new Set(received).size === 2));
    const stopped = replicas[0]?.close();
    for (let probe = 0; probe < 20; probe += 1) expect(await link.ready()).toBe(true);
    isReady = false;
    expect(await link.ready()).toBe(false);
    respond();
    expect(new Set(await Promise.all(slow))).toEqual(new Set(['done']));
    await stopped;
    jest.restoreAllMocks();
  });

  it('is connected at the address of the family on which its service listens, by one connection', async () => {
    const addresses = [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ];
    jest.spyOn(dns, 'lookup').mockResolvedValue(addresses as never);
    for (const { address: host } of addresses) {
      const { port } = await services.serve('access', () => Promise.resolve(host), { host });
      const link = services.link('gateway', 'access', `https://access.example:${port}`);
      expect(await Promise.all([1, 2, 3].map(() => link.call({})))).toEqual(Array(3).fill(host));
    }
    jest.restoreAllMocks();
  });

  it('sends requests to the replica that is ready, although the other one rejects them faster', async () => {
    const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    jest.spyOn(dns, 'lookup').mockResolvedValue(addresses as never);
    const broken = { received: 0, isReady: false };
    const handle: LinkHandler = () => ((broken.received += 1), Promise.reject(new RegisterError('SYS002')));
    const { port } = await services.serve('access', handle, { host: '127.0.0.1', ready: async () => broken.isReady });
    await services.serve('access', () => Promise.resolve('done'), { host: '127.0.0.2', port });
    const link = services.link('gateway', 'access', `https://access.example:${port}`);
    await holds(async () => (await codeOf(link.call({}))) === 'done');
    await holds(async () => link.ready());
    const before = broken.received;
    const results = [];
    for (let count = 0; count < 20; count += 1) results.push(await codeOf(link.call({})));
    expect([results, broken.received - before]).toEqual([Array(20).fill('done'), 0]);
    expect(await link.ready()).toBe(true);
    broken.isReady = true;
    await holds(async () => {
      await Promise.all([1, 2, 3, 4].map(() => codeOf(link.call({})))); // both replicas receive calls again
      return broken.received > before;
    });
    jest.restoreAllMocks();
  });

  it('rejects a call in time while the name server does not respond', async () => {
    jest.spyOn(dns, 'lookup').mockReturnValue(new Promise(() => undefined) as never);
    const call = services.link('gateway', 'access', 'https://access.example:1').call({});
    // A timer, and not a measured time: a busy machine delays both, and does not change their order.
    const limit = pause(8_500, 'late', { ref: false });
    expect(await Promise.race([codeOf(call), limit])).toBe('SYS002');
    jest.restoreAllMocks();
  }, 15_000);

  it('is logged as unreachable when its last replica is lost, not while another one serves', async () => {
    const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    jest.spyOn(dns, 'lookup').mockResolvedValue(addresses as never);
    const replica = await services.serve('access', whoCalls);
    let attempts = 0;
    const lost = createServer((socket) => ((attempts += 1), socket.destroy())).listen(replica.port, '127.0.0.2');
    await once(lost, 'listening');
    const intervals = jest.spyOn(globalThis, 'setInterval');
    const link = services.link('gateway', 'access', `https://access.example:${replica.port}`);
    const [resolveAgain] = intervals.mock.calls.find(([, ms]) => ms === 30_000) as unknown as [() => void];
    await holds(async () => (await codeOf(link.call({}))) === 'gateway');
    resolveAgain();
    await holds(() => attempts > 1);
    for (let call = 0; call < 20; call += 1) expect(await link.call({})).toBe('gateway');
    expect(logged('service unreachable')).toBe(0);
    await replica.close();
    expect(await codeOf(link.call({}))).toBe('SYS002');
    expect(logged('service unreachable')).toBe(1);
    lost.close();
    jest.restoreAllMocks();
  });

  it('rejects calls at once while more than 64 MiB await a frozen service', async () => {
    const { app, url } = await services.serve('access', whoCalls);
    const accepted = new Promise<TLSSocket>((resolve) => app.server.once('secureConnection', resolve));
    const link = services.link('gateway', 'access', url);
    expect(await link.call({})).toBe('gateway');
    (await accepted).pause();
    const text = 'x'.repeat(4 * 1024 * 1024);
    let rejected = 0;
    for (let call = 0; call < 24; call += 1) void codeOf(link.call({ text })).then(() => (rejected += 1));
    expect(await codeOf(link.call({}))).toBe('SYS002');
    expect([rejected > 0, rejected < 12]).toEqual([true, true]); // at most 32 MiB are in the buffers of the system
  });

  it.each([
    ['text that is not JSON', 'nonsense'],
    ['JSON that is not an array', '{}'],
    ['a message without an id', '[["1"]]'],
    ['an unknown document', '[[1,{},7]]'],
    ['a document out of order', '[[1,{},[1,"{ a }"]]]'],
    [
      'more requests than a service sends in one frame',
      JSON.stringify(Array.from({ length: 65 }, (_, id) => [id, {}])),
    ],
    ['bytes', Buffer.from('[[1,{}]]')],
    ['an unknown document in a frame with another request', '[[1,{},7],[2,{}]]'],
  ])('ends after %s, and executes nothing that arrives with it or after it', async (_, frame) => {
    let executions = 0;
    const { url } = await services.serve('access', () => Promise.resolve((executions += 1)));
    const agent = new ServiceAgent(services.identity('gateway'), 'access');
    const socket = new WebSocket(`${url.replace('http', 'ws')}/link`, LINK_PROTOCOL, { agent });
    socket.on('open', () => [frame, '[[3,{}]]'].forEach((each) => socket.send(each)));
    expect(await new Promise((resolve) => socket.on('close', resolve))).toBe(1008);
    expect(logged('link breached')).toBe(1);
    expect(executions).toBe(0);
  });
});

describe('The fixed documents of a subgraph', () => {
  it('are cached up to a number that is above that of all trusted documents and service queries', async () => {
    const link = localLink('access', buildSchema('type Query { ready: Boolean }'), services.logger);
    const context: CallContext = { caller: null, service: null, transactionId: 'tid_1', clientAddress: '192.0.2.1' };
    const execute = (field: string) => link.execute({ query: `{ ${field} }`, fixed: true }, context);
    const rejections = () => logged('Cannot query field \\"first\\"'); // one for each time that the document is prepared
    await execute('first');
    for (let number = 0; number < 900; number += 1) await execute(`other${number}`);
    await execute('first');
    expect(rejections()).toBe(1);
    for (let number = 0; number < 1_000; number += 1) await execute(`another${number}`);
    await execute('first');
    expect(rejections()).toBe(2);
  });
});

describe('A GET request between services', () => {
  /** Starts a service that closes kept-alive connections, at their second request, without a response. */
  async function closingService() {
    const accepted = new Set<unknown>();
    const requests = { answered: 0, dropped: 0 };
    const { app, url } = await services.serve('access', whoCalls, {
      routes: (server) =>
        void server.get('/keys', ({ raw: { socket } }, reply) => {
          if (!accepted.has(socket)) {
            accepted.add(socket);
            requests.answered += 1;
            return { keys: [] };
          }
          requests.dropped += 1;
          reply.hijack();
          return void socket.destroy();
        }),
    });
    const agent = new ServiceAgent(services.identity('gateway'), 'access');
    app.server.on('close', () => agent.destroy());
    return { fetchKeys: async () => (await serviceFetch(agent)(`${url}/keys`, {})).status, requests };
  }

  it('is repeated on a new connection when the service closes a kept-alive one without a response', async () => {
    const { fetchKeys, requests } = await closingService();
    expect(await Promise.all([fetchKeys(), fetchKeys(), fetchKeys()])).toEqual([200, 200, 200]);
    expect(await fetchKeys()).toBe(200);
    expect(requests).toEqual({ answered: 4, dropped: 1 });
  });

  it('is not repeated when the service closes a new connection, and fails', async () => {
    let received = 0;
    const { url } = await services.serve('access', whoCalls, {
      routes: (app) =>
        void app.get('/keys', ({ raw: { socket } }, reply) => {
          received += 1;
          reply.hijack();
          socket.destroy();
        }),
    });
    const agent = new ServiceAgent(services.identity('gateway'), 'access');
    await expect(serviceFetch(agent)(`${url}/keys`, {})).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(received).toBe(1);
    agent.destroy();
  });
});
