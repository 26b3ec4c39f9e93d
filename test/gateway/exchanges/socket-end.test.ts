import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { type Subscriber, openSocket, overWebSocket, socketClient } from '../../support/subscriber';
import { until } from '../../support/until';
import { startEventGateway } from './event-subgraph';

type EventGateway = Awaited<ReturnType<typeof startEventGateway>>;

/** Subscribes to the events after those of {@link gateway}. */
const EVENTS = 'subscription { registerEvents(after: "1") { id } }';

let gateway: EventGateway;
let stopped: Promise<void> | undefined;
/** Lets the subgraph respond to the queries of events, for which it waits from the start of each test. */
let respond: () => void;
const open: Subscriber[] = [];

beforeEach(async () => {
  gateway = await startEventGateway();
  stopped = undefined;
  gateway.fixture.add(2);
  const responded = new Promise<void>((resolve) => (respond = resolve));
  gateway.fixture.hold = () => responded;
});
afterEach(async () => {
  respond();
  await Promise.all(open.splice(0).map((each) => each.stop()));
  await (stopped ?? gateway.close());
});

const query = (index: number) => `{ registerEvent(id: "${gateway.fixture.ids[index]}") { id } }`;

/** The messages that a socket receives, and its close frame. */
function receivedBy(socket: WebSocket) {
  const messages: unknown[] = [];
  socket.on('message', (message: Buffer) => void messages.push(JSON.parse(String(message))));
  const closed = once(socket, 'close') as Promise<[number, Buffer]>;
  return { messages, closeCode: async () => (await closed)[0] };
}

/** Sends an operation; resolves when the subgraph executes it. */
async function start(socket: WebSocket, id: string, index: number): Promise<void> {
  subscribe(socket, id, query(index));
  await until(() => gateway.fixture.executed.includes(gateway.fixture.ids[index] as string) || undefined);
}

function subscribe(socket: WebSocket, id: string, text: string): void {
  socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query: text } }));
}

/** Resolves when the gateway has processed all earlier messages of a socket. */
async function processed(socket: WebSocket, messages: readonly unknown[]): Promise<void> {
  socket.send(JSON.stringify({ type: 'ping' }));
  await until(() => messages.some((each) => (each as { type: string }).type === 'pong') || undefined);
}

const isEnded = (reason: string) =>
  until(
    async () =>
      new RegExp(`connections_ended_total{reason="${reason}"} [1-9]`).test(await gateway.registry.metrics()) ||
      undefined,
  );

const ENDS = {
  closing: { code: 1001, begin: () => void (stopped = gateway.close()) },
  AUT002: { code: 4403, begin: () => void (gateway.fixture.ahead = 3_601_000) },
} as const;

describe.each(Object.entries(ENDS))('The end %s of a WebSocket', (reason, { code, begin }) => {
  it('follows the result of the operation under way, and no other operation starts meanwhile', async () => {
    const socket = await openSocket(gateway.url, 'admin:one');
    const { messages, closeCode } = receivedBy(socket);
    await start(socket, 'first', 0);
    begin();
    await isEnded(reason);
    subscribe(socket, 'second', query(1));
    await processed(socket, messages);
    respond();
    expect(await closeCode()).toBe(code);
    expect(messages).toEqual([
      { type: 'pong' },
      {
        id: 'first',
        type: 'next',
        payload: expect.objectContaining({ data: { registerEvent: { id: gateway.fixture.ids[0] } } }),
      },
      { id: 'first', type: 'complete' },
    ]);
    expect(gateway.fixture.executed).toEqual([gateway.fixture.ids[0]]);
  });

  it('ends its subscription without a message, so that the client resumes it on its next connection', async () => {
    const client = socketClient(gateway.url, 'admin:one');
    const events = overWebSocket(gateway.url, 'admin:one', { query: EVENTS }, client);
    const single = overWebSocket(gateway.url, 'admin:one', { query: query(1) }, client);
    open.push(events, single);
    await until(() => gateway.fixture.executed.length > 0 || undefined);
    await until(async () => /gateway_subscriptions{[^}]*} 1/.test(await gateway.registry.metrics()) || undefined);
    begin();
    await isEnded(reason);
    respond();
    expect(await single.ended).toEqual({ kind: 'complete' });
    expect(single.messages).toMatchObject([{ data: { registerEvent: { id: gateway.fixture.ids[1] } } }]);
    expect(await events.ended).toMatchObject({ kind: 'closed', code });
    expect(events.messages).toEqual([]);
  });
});

describe('A WebSocket with an operation under way', () => {
  it('is closed without its result when the grace period of the gateway ends', async () => {
    const socket = await openSocket(gateway.url, 'admin:one');
    const { messages, closeCode } = receivedBy(socket);
    await start(socket, 'first', 0);
    const force = new AbortController();
    stopped = gateway.close(force.signal);
    await isEnded('closing');
    await processed(socket, messages);
    force.abort();
    expect(await closeCode()).toBe(1001);
    await stopped;
    expect(messages).toEqual([{ type: 'pong' }]);
  });

  it('is closed at once when its account is suspended, also after its token has expired', async () => {
    const socket = await openSocket(gateway.url, 'admin:one');
    const { messages, closeCode } = receivedBy(socket);
    await start(socket, 'first', 0);
    ENDS.AUT002.begin();
    await isEnded('AUT002');
    gateway.fixture.inactive.add('admin:one');
    expect(await closeCode()).toBe(4401);
    expect(messages).toEqual([]);
  });
});
