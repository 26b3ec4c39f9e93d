import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { openSocket, overWebSocket } from '../../support/subscriber';
import { until } from '../../support/until';
import { startEventGateway } from './event-subgraph';

type EventGateway = Awaited<ReturnType<typeof startEventGateway>>;

const EVENTS = 'subscription ($after: String) { registerEvents(after: $after) { id cursor text } }';

/** A message of the gateway. */
interface Message {
  readonly id: string;
  readonly type: string;
  readonly payload?: { readonly data: { readonly registerEvents: { readonly id: string } } };
}

let gateway: EventGateway;
let socket: WebSocket;
let messages: Message[];

beforeEach(async () => {
  gateway = await startEventGateway();
  socket = await openSocket(gateway.url, 'admin:one');
  messages = [];
  socket.on('message', (data: Buffer) => void messages.push(JSON.parse(String(data)) as Message));
});
afterEach(async () => {
  socket.terminate();
  await gateway.close();
});

const send = (message: object) => socket.send(JSON.stringify({ id: '1', ...message }));
const subscribe = (after: string, query = EVENTS) =>
  send({ type: 'subscribe', payload: { query, variables: { after } } });
const complete = () => send({ type: 'complete' });
const received = () => messages.map(({ type, payload }) => (type === 'next' ? payload?.data.registerEvents.id : type));
const openSubscriptions = async (count: number) =>
  until(async () => {
    const open =
      /gateway_subscriptions\{transport="websocket"} (\d+)/.exec(await gateway.registry.metrics())?.[1] ?? '0';
    return Number(open) === count ? true : undefined;
  });
/** Responds after the messages before it. */
const ping = async () => {
  send({ type: 'ping' });
  await until(() => (messages.at(-1)?.type === 'pong' ? true : undefined));
  messages.pop();
};

describe('A number that JSON cannot hold', () => {
  it('is a wrong value of a variable over a WebSocket, as it is over HTTP', async () => {
    const payload = `{ "query": ${JSON.stringify(EVENTS)}, "variables": { "after": 1e400 } }`;
    socket.send(`{ "id": "1", "type": "subscribe", "payload": ${payload} }`);
    await until(() => (messages.length > 0 ? true : undefined));
    expect(messages).toMatchObject([{ type: 'error', payload: [{ extensions: { code: 'VAL003' } }] }]);
  });
});

describe('An operation id of a WebSocket that its client uses again', () => {
  it('before the start of the completed subscription has ended belongs to the new subscription only', async () => {
    const { fixture } = gateway;
    fixture.add(1);
    subscribe('-1');
    complete();
    subscribe('-1');
    await until(() => (messages.length > 0 ? true : undefined));
    await openSubscriptions(1);
    fixture.add(1);
    await until(() => (received().includes(fixture.ids[1]) ? true : undefined));
    await ping();
    expect(received()).toEqual(fixture.ids);
    socket.close();
    await openSubscriptions(0);
  });

  it('while an event of the completed subscription is executed receives every event', async () => {
    const { fixture } = gateway;
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    fixture.hold = () => released;
    fixture.add(1);
    subscribe('-1', EVENTS.replace('text', 'text held: text'));
    await until(() => (fixture.executed.length > 0 ? true : undefined));
    fixture.hold = () => undefined;
    complete();
    subscribe('-1');
    await until(() => (received().length > 0 ? true : undefined));
    release?.();
    const witness = overWebSocket(gateway.url, 'admin:two', { query: EVENTS, variables: { after: '-1' } });
    fixture.add(2);
    await witness.first(3);
    await until(() => (received().length >= 3 ? true : undefined));
    await witness.stop();
    expect(received()).toEqual(fixture.ids);
    await openSubscriptions(1);
  });

  it('and completes once more while it waits starts nothing', async () => {
    const { fixture } = gateway;
    fixture.add(1);
    let release: (() => void) | undefined;
    fixture.holdLog = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    subscribe('-1');
    await until(() => release);
    complete();
    subscribe('-1');
    complete();
    await ping();
    fixture.holdLog = () => undefined;
    release?.();
    subscribe('0');
    fixture.add(1);
    await until(() => (received().length > 0 ? true : undefined));
    await openSubscriptions(1);
    expect(received()).toEqual([fixture.ids[1]]);
  });

  it('closes the connection while its subscription is active, however long the id is', async () => {
    const { fixture } = gateway;
    fixture.add(1);
    const id = 'x'.repeat(256);
    const payload = { query: EVENTS, variables: { after: '-1' } };
    send({ id, type: 'subscribe', payload });
    await until(() => (messages.length > 0 ? true : undefined));
    send({ id, type: 'subscribe', payload });
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
    expect([code, String(reason)]).toEqual([4409, 'An operation with this id is active.']);
    await openSubscriptions(0);
  });
});
