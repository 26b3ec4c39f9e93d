import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { WebSocket } from 'ws';
import { type Subscriber, TRANSPORTS, overWebSocket, socketClient } from '../../support/subscriber';
import { until } from '../../support/until';
import { startEventGateway } from './event-subgraph';

type EventGateway = Awaited<ReturnType<typeof startEventGateway>>;

const EVENTS = 'subscription ($after: String) { registerEvents(after: $after) { id cursor text } }';
/** Maximum number of bytes that the gateway may buffer for one client, whatever it sends. */
const FEW = 1024 * 1024;

let gateway: EventGateway;
/** Server-side sockets of the connections. */
const ends: Socket[] = [];
const clients: { terminate(): void }[] = [];

beforeEach(async () => {
  gateway = await startEventGateway();
  gateway.app.server.on('connection', (socket: Socket) => void ends.push(socket));
});
afterEach(async () => {
  jest.restoreAllMocks();
  for (const client of clients.splice(0)) client.terminate();
  ends.length = 0;
  await gateway.close();
});

const opened = async (): Promise<WebSocket> => {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  clients.push(socket);
  socket.on('error', () => undefined); // the connection is cut
  await once(socket, 'open');
  return socket;
};
const letIn = async (token: string): Promise<WebSocket> => {
  const socket = await opened();
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
  await once(socket, 'message');
  return socket;
};
/** Returns the function that collects garbage, without a flag of the process. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** Opens the maximum of subscriptions of a connection. */
const sendSubscriptions = (client: WebSocket) => {
  for (let each = 0; each < 50; each += 1) {
    const payload = { query: EVENTS, variables: { after: '' } };
    client.send(JSON.stringify({ id: String(each), type: 'subscribe', payload }));
  }
};
const open = async (count: number) =>
  until(async () =>
    (await gateway.registry.metrics()).includes(`gateway_subscriptions{transport="websocket"} ${count}\n`)
      ? true
      : undefined,
  );
const subscribedTo = (token: string) => {
  const client = socketClient(gateway.url, token);
  clients.push(client);
  return overWebSocket(gateway.url, token, { query: EVENTS, variables: { after: '' } }, client);
};
const gone = (socket: WebSocket) => socket.readyState === socket.CLOSED;

/** Bytes that the gateway buffers for a connection: unprocessed input and unsent output. */
const kept = ({ writableLength, readableLength }: Socket) => writableLength + readableLength;

/**
 * Waits until the gateway stops reading from the client: all is read, the gateway applies backpressure, or the
 * connection is cut.
 */
async function takenOrHeld(client: WebSocket): Promise<number> {
  const [end] = ends as [Socket];
  let most = 0;
  let before = -1;
  let still = 0;
  await until(() => {
    most = Math.max(most, kept(end));
    still = end.bytesRead === before ? still + 1 : 0;
    before = end.bytesRead;
    return gone(client) || end.destroyed || still > 20 ? true : undefined;
  });
  return most;
}

const PING = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(200_000) } });
const rejected = (number: number) =>
  JSON.stringify({ id: String(number), type: 'subscribe', payload: { query: `{ ${'x'.repeat(2_000)} }` } });

/** An operation with a long response; the schema is the same for all numbers. */
const longResponse = (number: number) =>
  JSON.stringify({
    id: String(number),
    type: 'subscribe',
    payload: {
      query: `{ __schema { types { name description fields { name description } } } } # ${'x'.repeat(2_000)}`,
    },
  });

/**
 * Bytes of a flood: more than socket buffers hold, and few enough for a busy machine to write within the 3 s in which a
 * client must sign in.
 */
const FLOOD_BYTES = 12_000_000;

describe('A client that floods a WebSocket and reads nothing', () => {
  it('receives pongs without the payload of its pings', async () => {
    const client = await letIn('admin:one');
    client.pause();
    for (let each = 0; each < 200; each += 1) client.send(PING);
    expect(await takenOrHeld(client)).toBeLessThan(FEW);
    const responses: string[] = [];
    client.on('message', (data: Buffer) => void responses.push(data.toString()));
    client.resume();
    await until(() => (responses.length === 200 ? true : undefined));
    expect(new Set(responses)).toEqual(new Set(['{"type":"pong"}']));
  });

  it('is not read while responses wait for it, and is then ended with the advice to resume', async () => {
    const MANY = 4_000;
    const client = await letIn('admin:one');
    client.pause();
    for (let each = 0; each < MANY; each += 1) client.send(longResponse(each));
    expect(await takenOrHeld(client)).toBeLessThan(FEW);
    expect((ends[0] as Socket).bytesRead).toBeLessThan(MANY * longResponse(0).length);
    await until(async () => (/reason="too-slow"} 1/.test(await gateway.registry.metrics()) ? true : undefined));
    const closed = once(client, 'close') as Promise<[number, Buffer]>;
    client.resume();
    expect(String((await closed)[0])).toBe('4408');
  });

  it.each([
    ['pings', JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(2_000) } }), 4401],
    ['long messages', PING, 1009],
    ['rejected operations', rejected(0), 4401],
  ])('of %s before authentication is closed at the first', async (_, message, code) => {
    const count = Math.ceil(FLOOD_BYTES / message.length);
    const client = await opened();
    client.pause();
    for (let each = 0; each < count; each += 1) client.send(message);
    expect(await takenOrHeld(client)).toBeLessThan(FEW);
    const closed = once(client, 'close') as Promise<[number]>;
    client.resume();
    expect((await closed)[0]).toBe(code);
  });

  it.each(['before', 'after'])('of WebSocket pings is disconnected, %s authentication', async (when) => {
    const client = await (when === 'before' ? opened() : letIn('admin:one'));
    client.pause();
    const payload = Buffer.alloc(125, 'x');
    for (let each = 0; each < 200_000; each += 1) client.ping(payload);
    expect(await takenOrHeld(client)).toBeLessThan(FEW);
    await until(() => ((ends[0] as Socket).destroyed ? true : undefined));
  });

  it('is ended when too many responses wait for it', async () => {
    const { fixture } = gateway;
    fixture.size = 400_000;
    fixture.add(1);
    const client = await letIn('admin:one');
    client.pause();
    sendSubscriptions(client);
    expect(await takenOrHeld(client)).toBeLessThan(6 * FEW);
    await until(async () => (/reason="too-slow"} 1/.test(await gateway.registry.metrics()) ? true : undefined));
    const closed = once(client, 'close') as Promise<[number]>;
    client.resume();
    expect((await closed)[0]).toBe(4408);
  });

  it('is ended before others, and at once, when the responses of all clients are too many', async () => {
    const { fixture } = gateway;
    fixture.size = 400_000;
    fixture.add(1);
    const reading = subscribedTo('admin:reading');
    await reading.first(1);
    const waiting = await Promise.all(Array.from({ length: 6 }, () => letIn('admin:one')));
    jest.spyOn(performance, 'now').mockReturnValue(performance.now()); // the time in which a client must read does not pass
    for (const client of waiting) {
      client.pause();
      sendSubscriptions(client);
    }
    const isEnded = async () =>
      /reason="too-slow"} [1-9]/.test(await gateway.registry.metrics()) ? 'ended' : undefined;
    expect(await until(isEnded)).toBe('ended');
    fixture.add(1);
    await reading.first(2);
  });

  it('cannot enlarge every response by a long operation id', async () => {
    const client = await letIn('admin:one');
    client.send(JSON.stringify({ id: 'x'.repeat(257), type: 'subscribe', payload: { query: EVENTS } }));
    expect((await once(client, 'close'))[0]).toBe(4400);
  });
});

describe('Subscriptions that run', () => {
  const collectGarbage = garbageCollector();
  const usedBytes = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const subscribe = (number: number, payload: object) =>
    JSON.stringify({ id: String(number), type: 'subscribe', payload });
  const unread = (number: number) =>
    subscribe(number, { query: EVENTS, extensions: { [number]: 'x'.repeat(200_000) } });
  const EVENT = 'registerEvent(id: "evt_000000000000000000000000")';
  const OTHERS = Array.from(
    { length: 20 },
    (_, each) => `query Q${each} { ${EVENT} { id cursor text prices { price } meterPoint { kind } __typename } }`,
  );
  const long = (number: number) => {
    const query = `${OTHERS.join('\n')} subscription S { registerEvents { id text${number}: text } }`;
    return subscribe(number, { query, operationName: 'S' });
  };

  it.each([
    ['with members that the gateway does not read', unread],
    ['with a long document', long],
  ])('%s occupy little memory', async (_, message) => {
    const subscribed = async () => {
      const client = await letIn('admin:one');
      for (let each = 0; each < 49; each += 1) client.send(message(each));
      await open(49);
      client.send(subscribe(49, { query: `{ __typename } # ${'x'.repeat(250_000)}` })); // replaces documents that the gateway has cached
      await once(client, 'message');
      return client;
    };
    (await subscribed()).terminate(); // it has loaded the code and filled the caches
    await open(0);
    const before = usedBytes();
    await subscribed();
    expect((usedBytes() - before) / 49).toBeLessThan(140_000);
  });
});

describe('A client that reads at full speed', () => {
  it('receives all results that become ready at once, and pongs meanwhile', async () => {
    const { fixture } = gateway;
    fixture.size = 400_000;
    const client = await letIn('admin:one');
    const types: string[] = [];
    client.on('message', (data: Buffer) => void types.push((JSON.parse(String(data)) as { type: string }).type));
    sendSubscriptions(client);
    await open(50);
    fixture.add(1);
    client.send(PING);
    const all = await until(() => (types.length === 51 || client.readyState !== client.OPEN ? types : undefined));
    expect(all.filter((type) => type === 'next')).toHaveLength(50);
    expect(all).toContain('pong');
  });
});

describe('A connection that the register ends', () => {
  it('delivers the results that are ready before the close frame', async () => {
    const { fixture } = gateway;
    fixture.size = 400_000;
    const client = await letIn('admin:one');
    let results = 0;
    client.on('message', (data: Buffer) => {
      if ((JSON.parse(String(data)) as { type: string }).type === 'next') results += 1;
    });
    sendSubscriptions(client);
    await open(50);
    client.pause();
    fixture.add(1);
    const isSent = async () => /^gateway_subscription_answers_total 50$/m.test(await gateway.registry.metrics());
    await until(async () => ((await isSent()) ? true : undefined));
    fixture.inactive.add('admin:one');
    const closed = once(client, 'close') as Promise<[number]>;
    await open(0);
    client.resume();
    expect([(await closed)[0], results]).toEqual([4401, 50]);
  });
});

/** Starts a subscription by Server-Sent Events; returns the response, also of a rejected one. */
async function eventStream(token: string): Promise<IncomingMessage> {
  const sent = request(`${gateway.url}/graphql`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: `Bearer ${token}` },
  });
  sent.end(JSON.stringify({ query: EVENTS, variables: { after: '' } }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  clients.push({ terminate: () => sent.destroy() });
  response.on('error', () => undefined); // the connection is cut
  return response;
}

describe('A client of Server-Sent Events that reads nothing', () => {
  it.each([
    ['its account is suspended', () => void gateway.fixture.inactive.add('admin:slow')],
    ['its token expires', () => void (gateway.fixture.ahead = 3_601_000)],
  ])('is disconnected soon after %s', async (_, happens) => {
    const { fixture } = gateway;
    fixture.size = 200_000;
    fixture.add(400);
    const stream = await eventStream('admin:slow');
    stream.pause();
    const [end] = ends as [Socket];
    await until(() => (end.writableLength > 0 ? true : undefined));
    happens();
    expect(await until(() => (end.destroyed ? 'cut' : undefined))).toBe('cut');
    expect(await gateway.registry.metrics()).not.toContain('reason="too-slow"'); // which would be ten seconds later
  });
});

describe('Slow events of an account with many subscriptions', () => {
  /** Opens the maximum of subscriptions of a connection. Each has an alias of its own, so that they share no result. */
  const flood = (token: string) => {
    const client = socketClient(gateway.url, token);
    clients.push(client);
    return Array.from({ length: 50 }, (_, each) => {
      const query = `subscription { registerEvents(after: "") { id text${each}: text } }`;
      return overWebSocket(gateway.url, token, { query }, client);
    });
  };
  let release: () => void;
  let released: Promise<void>;

  beforeEach(() => {
    released = new Promise((resolve) => {
      release = resolve;
    });
    gateway.fixture.add(9);
  });

  it('are executed beside those of others, to which they leave one of the concurrent executions', async () => {
    const { fixture } = gateway;
    fixture.hold = (accountId) => (accountId === 'data_user:one' ? released : undefined);
    const slow = flood('data_user:one');
    await open(50);
    await subscribedTo('admin:two').first(9);
    expect(slow.flatMap(({ messages }) => messages)).toEqual([]);
    expect(fixture.executedFor.filter((each) => each === 'data_user:one')).toHaveLength(8);
    release();
    await Promise.all(slow.map((each) => each.first(9)));
  });

  it('are not executed once their subscriptions have ended', async () => {
    const { fixture } = gateway;
    fixture.hold = () => released;
    flood('data_user:one');
    await open(50);
    await until(() => (fixture.executed.length === 8 ? true : undefined));
    clients.splice(0).forEach((each) => void each.terminate());
    await open(0);
    const next = subscribedTo('data_user:one');
    await open(1);
    release();
    await next.first(9);
    expect(fixture.executed).toHaveLength(8 + 9);
  });

  it('take turns with those of others while all concurrent executions are taken', async () => {
    const { fixture } = gateway;
    // A turn of the event loop for each execution of the flood: in one turn, the other account executes and receives one event at most.
    const later = () => new Promise<void>((resolve) => void setTimeout(resolve, 1));
    fixture.hold = (accountId) => (accountId === 'admin:two' ? undefined : released.then(later));
    flood('data_user:one');
    flood('admin:one');
    await open(100);
    const other = subscribedTo('admin:two');
    await open(101);
    const held = fixture.executedFor.length; // 9, or more on a machine so slow that held executions time out and are repeated
    expect(held).toBeGreaterThanOrEqual(9);
    release();
    await other.first(9);
    expect(fixture.executedFor.indexOf('admin:two')).toBeLessThan(held + 11);
    expect(fixture.executedFor.lastIndexOf('admin:two')).toBeLessThan(held + 450); // in the order of requests: 900
  });
});

describe('Connections that the register ends', () => {
  it('are counted once, with any number of subscriptions', async () => {
    const client = socketClient(gateway.url, 'admin:one');
    const begin = () => overWebSocket(gateway.url, 'admin:one', { query: EVENTS, variables: { after: '' } }, client);
    const subscribers: Subscriber[] = [begin(), begin(), begin()];
    gateway.fixture.add(1);
    await Promise.all(subscribers.map((each) => each.first(1)));
    gateway.fixture.inactive.add('admin:one');
    await Promise.all(subscribers.map(({ ended }) => ended));
    expect(await gateway.registry.metrics()).toContain(
      'gateway_subscription_connections_ended_total{reason="AUT001"} 1\n',
    );
  });
});

describe('Open connections', () => {
  const many = (count: number, token: string) => Promise.all(Array.from({ length: count }, () => letIn(token)));

  it('are limited to a hundred for an account, over both transports, until one is closed', async () => {
    const [first] = await many(99, 'admin:one');
    const stream = await eventStream('admin:one');
    expect(stream.statusCode).toBe(200);
    const one = await opened();
    one.send(JSON.stringify({ type: 'connection_init', payload: { authorization: 'Bearer admin:one' } }));
    const [code, reason] = (await once(one, 'close')) as [number, Buffer];
    expect([code, String(reason)]).toEqual([4429, expect.stringContaining('too many open connections')]);
    const rejection = await eventStream('admin:one');
    expect([rejection.statusCode, await textOf(rejection)]).toEqual([429, expect.stringContaining('LIM002')]);
    expect((await eventStream('admin:two')).statusCode).toBe(200);
    (first as WebSocket).close();
    await until(async () => ((await eventStream('admin:one')).statusCode === 200 ? true : undefined));
  });

  it('of consumers and customers are limited to two hundred for their client network, and not for their name in a token', async () => {
    await many(150, 'consumer:one');
    const begin = () =>
      opened().then(async (socket) => {
        socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: 'Bearer consumer:two' } }));
        await Promise.race([once(socket, 'message'), once(socket, 'close')]);
        return gone(socket);
      });
    expect(await Promise.all(Array.from({ length: 50 }, begin))).toEqual(Array(50).fill(false));
    expect(await openedOrRejected()).toBe('429: LIM002');
    expect((await eventStream('admin:one')).statusCode).toBe(429);
  });

  it('are limited to two hundred for a client network, except those of known callers', async () => {
    await Promise.all([many(100, 'admin:one'), many(100, 'admin:two'), letIn('admin:three')]);
    delaySignInTimeout();
    const sockets = await Promise.all(Array.from({ length: 201 }, openedOrRejected));
    jest.restoreAllMocks();
    const rejections = sockets.filter((each) => !(each instanceof WebSocket));
    expect(rejections).toContain('429: LIM002');
    expect(sockets.length - rejections.length).toBeGreaterThanOrEqual(200);
    const rejection = await eventStream('admin:three');
    expect([rejection.statusCode, await textOf(rejection)]).toEqual([
      429,
      expect.stringContaining('this client network has 200 open without a caller'),
    ]);
    clients.splice(201).forEach((each) => void each.terminate());
    await until(async () => ((await eventStream('admin:three')).statusCode === 200 ? true : undefined));
  });
});

/** Lets connections without a caller stay open for a minute instead of 3 s: a busy machine needs longer to open 201. */
function delaySignInTimeout(): void {
  const set = globalThis.setTimeout;
  jest
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation(((work: () => void, ms?: number) => set(work, ms === 3_000 ? 60_000 : ms)) as never);
}

/** Returns an open WebSocket that names no caller, or the status and code of the response that rejects it. */
async function openedOrRejected(): Promise<WebSocket | string> {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  clients.push(socket);
  socket.on('error', () => undefined);
  const response = await Promise.race([
    once(socket, 'open').then(() => undefined),
    once(socket, 'unexpected-response').then(([, each]) => each as IncomingMessage),
  ]);
  if (response === undefined) return socket;
  const [code] = /LIM\d+/.exec(await textOf(response)) ?? [];
  return `${response.statusCode}: ${code}`;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

/** Starts a subscription and stops reading. `read` resumes until the end and returns how the connection ended. */
async function pausedClient({ url }: EventGateway, isSocket: boolean) {
  const payload = { query: EVENTS, variables: { after: '-1' } };
  if (isSocket) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: 'Bearer admin:slow' } }));
    await once(socket, 'message');
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
    socket.pause();
    return {
      connection: { destroy: () => socket.terminate() },
      read: async () => {
        socket.resume();
        const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
        return `${code} ${String(reason)}`;
      },
    };
  }
  const sent = request(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: 'Bearer admin:slow',
    },
  });
  sent.end(JSON.stringify(payload));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return {
    connection: response,
    read: async () => {
      response.resume();
      return once(response, 'end').then(
        () => 'ended',
        () => 'cut',
      );
    },
  };
}

describe.each(TRANSPORTS)('A subscription over %s', (transport, subscribe) => {
  it('whose client does not read buffers a bounded number of results, and ends with the advice to resume', async () => {
    const { fixture } = gateway;
    fixture.size = 200_000;
    fixture.add(400);
    const { connection, read } = await pausedClient(gateway, transport === 'WebSocket');
    await until(() => (fixture.executed.length > 20 ? true : undefined));
    let before = -1;
    await until(async () => {
      const isStill = before === fixture.executed.length;
      before = fixture.executed.length;
      await new Promise((resolve) => void setTimeout(resolve, 500));
      return isStill ? true : undefined;
    });
    expect(fixture.executed.length).toBeLessThan(200); // the buffers of both sockets, and no more
    const quick = subscribe(gateway.url, 'admin:quick', { query: EVENTS, variables: { after: '-1' } });
    await quick.first(400);
    await until(async () => (/reason="too-slow"} 1/.test(await gateway.registry.metrics()) ? true : undefined));
    expect(await read()).toMatch(transport === 'WebSocket' ? /^4408 Too slow/ : /^cut$/);
    connection.destroy();
    await quick.stop();
  });
});
