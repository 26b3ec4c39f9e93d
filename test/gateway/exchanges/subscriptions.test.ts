import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import {
  type Subscriber,
  TRANSPORTS,
  errorsOf,
  openSocket,
  overEvents,
  overWebSocket,
  socketClient,
} from '../../support/subscriber';
import { until } from '../../support/until';
import { WRITTEN_PRICES, startEventGateway } from './event-subgraph';

type EventGateway = Awaited<ReturnType<typeof startEventGateway>>;

const EVENTS = 'subscription ($after: String) { registerEvents(after: $after) { id cursor text } }';
const BEGINNING = { after: '-1' };

let gateway: EventGateway;
const open: Subscriber[] = [];

beforeEach(async () => {
  gateway = await startEventGateway();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.stop()));
  await gateway.close();
});

const kept = (subscriber: Subscriber): Subscriber => {
  open.push(subscriber);
  return subscriber;
};
const idsOf = (subscriber: Subscriber) => subscriber.messages.map(({ data }) => data?.registerEvents?.id);

describe.each(TRANSPORTS)('A subscription over %s', (transport, subscribe) => {
  const follow = (token = 'admin:one', variables: Record<string, unknown> = BEGINNING) =>
    kept(subscribe(gateway.url, token, { query: EVENTS, variables }));

  it('receives neither events that the graph hides from its caller nor deleted ones', async () => {
    const { fixture } = gateway;
    fixture.add(4);
    fixture.rejected.add(fixture.ids[1] as string);
    fixture.gone.add(fixture.ids[2] as string);
    const subscriber = follow();
    await subscriber.first(2);
    expect(idsOf(subscriber)).toEqual([fixture.ids[0], fixture.ids[3]]);
  });

  it.each([
    ['a syntax error', 'subscription {\n  }', 'VAL010', { line: 2, column: 3 }],
    ['an unknown field', 'subscription {\n  registerEvents { colour }\n}', 'VAL003', { line: 2, column: 20 }],
  ])('with %s is rejected with the location of the error', async (_, query, code, location) => {
    const errors = await errorsOf(kept(subscribe(gateway.url, 'admin:one', { query })));
    expect(errors).toEqual([expect.objectContaining({ locations: [location], extensions: { code } })]);
  });

  it.each([
    [
      'a long comment',
      `${EVENTS} # ${'x'.repeat(16_400)}`,
      {},
      'The text of a subscription has at most 16384 characters',
    ],
    [
      'long variables',
      EVENTS,
      { after: '-1', unused: 'x'.repeat(16_400) },
      'The variables of a subscription have at most 16384 characters of JSON',
    ],
  ])('with %s is rejected', async (_, query, variables, message) => {
    const errors = await errorsOf(kept(subscribe(gateway.url, 'admin:one', { query, variables })));
    expect(errors).toEqual([expect.objectContaining({ message, extensions: { code: 'VAL003' } })]);
  });

  it('with a comment and variables within the limits receives events', async () => {
    gateway.fixture.add(1);
    const query = `${EVENTS} # ${'x'.repeat(16_000)}`;
    const subscriber = kept(
      subscribe(gateway.url, 'admin:one', { query, variables: { ...BEGINNING, unused: 'x'.repeat(16_000) } }),
    );
    await subscriber.first(1);
    expect(idsOf(subscriber)).toEqual(gateway.fixture.ids);
  });

  it('that is invalid receives all errors of its document', async () => {
    const query = 'subscription { registerEvents { colour weight } }';
    const errors = await errorsOf(kept(subscribe(gateway.url, 'admin:one', { query })));
    expect(errors.map(({ message }) => message.replace(/ on type.*/, ''))).toEqual([
      'Cannot query field "colour"',
      'Cannot query field "weight"',
    ]);
  });

  it('receives no result that was made before it started, for another one that is identical', async () => {
    const { fixture } = gateway;
    fixture.add(1);
    const lengthOf = (subscriber: Subscriber) => subscriber.messages[0]?.data?.registerEvents?.text.length;
    const former = follow();
    await former.first(1);
    fixture.size = 20;
    const later = follow();
    await later.first(1);
    expect([lengthOf(former), lengthOf(later)]).toEqual([10, 20]);
  });

  it('does not wait for a result that another one, which is identical, requested before it started', async () => {
    const { fixture } = gateway;
    fixture.add(1);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    fixture.hold = (accountId) => (accountId === 'admin:slow' ? held : undefined);
    const slow = follow('admin:slow');
    await until(() => fixture.executed.length > 0 || undefined);
    const later = follow();
    await later.first(1);
    expect(slow.messages).toEqual([]);
    release();
    await slow.first(1);
    expect(fixture.executedFor).toEqual(['admin:slow', 'admin:one']);
  });

  it('that leaves out a variable shares no result with one that sends null', async () => {
    gateway.fixture.add(1);
    const query = 'subscription ($n: Int = 1) { registerEvents(after: "-1") { priceCount(first: $n) } }';
    const counts = [{}, { n: null }, { n: 3 }].map(async (variables) => {
      const [received] = await kept(subscribe(gateway.url, 'admin:one', { query, variables })).first(1);
      return received?.data?.registerEvents?.priceCount;
    });
    expect(await Promise.all(counts)).toEqual([1, 2, 3]);
  });

  it('waits while the subgraph is unavailable, and omits nothing', async () => {
    const { fixture } = gateway;
    const subscriber = follow();
    fixture.add(1);
    await subscriber.first(1);
    fixture.eventsUnavailable = true;
    fixture.add(1);
    await until(() => (fixture.rejections > 1 ? true : undefined));
    fixture.logUnavailable = true;
    fixture.add(1);
    fixture.eventsUnavailable = false;
    await subscriber.first(2);
    fixture.logUnavailable = false;
    await subscriber.first(3);
    expect(idsOf(subscriber)).toEqual(fixture.ids);
    expect(subscriber.messages.flatMap(({ errors = [] }) => errors)).toEqual([]);
  });

  it('waits while a field of a second subgraph is unavailable, and omits nothing', async () => {
    const { fixture } = gateway;
    const query = EVENTS.replace('text', 'meterPoint { kind }');
    const subscriber = kept(subscribe(gateway.url, 'admin:one', { query, variables: BEGINNING }));
    fixture.add(1);
    await subscriber.first(1);
    fixture.meterPointsUnavailable = true;
    fixture.add(2);
    await until(() => (fixture.rejections > 1 ? true : undefined));
    fixture.meterPointsUnavailable = false;
    await subscriber.first(3);
    expect(idsOf(subscriber)).toEqual(fixture.ids);
    const results = subscriber.messages.map(({ data, errors }) => [data?.registerEvents?.meterPoint?.kind, errors]);
    expect(results).toEqual(fixture.ids.map(() => ['import', undefined]));
  });

  it('repeats only the event that it waits for, not the upcoming ones', async () => {
    const { fixture } = gateway;
    fixture.meterPointsUnavailable = true;
    fixture.add(9);
    const query = EVENTS.replace('text', 'meterPoint { kind }');
    const subscriber = kept(subscribe(gateway.url, 'admin:one', { query, variables: BEGINNING }));
    await until(() => (fixture.rejections >= 11 ? true : undefined));
    const [first] = fixture.ids;
    expect(fixture.executed.slice(9)).toEqual(fixture.executed.slice(9).map(() => first));
    fixture.meterPointsUnavailable = false;
    await subscriber.first(9);
    expect(idsOf(subscriber)).toEqual(fixture.ids);
  });

  it('sends a list that the subgraph has written as it was written, in an event and in the result of a query', async () => {
    const { fixture } = gateway;
    fixture.add(1);
    const selection = '{ id prices { price } }';
    const event = `subscription { registerEvents(after: "-1") ${selection} }`;
    const query = `{ registerEvent(id: "${fixture.ids[0]}") ${selection} }`;
    for (const operation of [event, query]) {
      const subscriber = kept(subscribe(gateway.url, 'admin:one', { query: operation }));
      const [received] = await subscriber.first(1);
      const [result] = Object.values(received?.data as object);
      expect(result).toEqual({ id: fixture.ids[0], prices: [{ price: 0.1 }, { price: 0.2 }] });
      const raw = await rawMessage(gateway, transport === 'WebSocket', operation);
      expect(raw).toContain(`"prices":${WRITTEN_PRICES}`);
    }
  });

  it('receives no event after the suspension of its account', async () => {
    const { fixture } = gateway;
    const subscriber = follow('admin:suspended');
    const witness = follow('admin:active');
    fixture.add(1);
    await Promise.all([subscriber.first(1), witness.first(1)]);
    fixture.inactive.add('admin:suspended');
    fixture.add(3);
    await witness.first(4);
    await subscriber.ended;
    expect(idsOf(subscriber).filter(Boolean)).toEqual([fixture.ids[0]]);
  });

  it('ends with AUT002 when its token expires by the clock of the register', async () => {
    const { fixture } = gateway;
    const subscriber = follow();
    fixture.add(1);
    await subscriber.first(1);
    fixture.ahead = 3_601_000;
    const ending = await subscriber.ended;
    expect(JSON.stringify([ending, subscriber.messages.slice(1)])).toContain('AUT002');
  });

  it('ends at the gateway when its client disconnects', async () => {
    const subscriber = follow();
    gateway.fixture.add(1);
    await subscriber.first(1);
    const count = async () => {
      const { values } = await (gateway.registry.getSingleMetric('gateway_subscriptions') as never as Gauge).get();
      return values.reduce((sum, { value }) => sum + value, 0);
    };
    expect(await count()).toBe(1);
    await subscriber.stop();
    await until(async () => ((await count()) === 0 ? true : undefined));
  });
});

const TOO_DEEP = { query: `{ ${'origin { '.repeat(13)} clientAddress ${'}'.repeat(13)} }` };
const TOO_MANY_LEVELS = {
  message: 'The operation has too many levels: at most 12 are allowed',
  extensions: { code: 'VAL003' },
};

it.each(TRANSPORTS)('A query over %s that exceeds a limit returns the error that names it', async (_, subscribe) => {
  const rejected = kept(subscribe(gateway.url, 'admin:one', TOO_DEEP));
  expect(await errorsOf(rejected)).toEqual([TOO_MANY_LEVELS]);
});

it.each(TRANSPORTS)(
  'A subscription over %s whose account is suspended while it starts receives no event and ends with AUT001',
  async (transport, subscribe) => {
    const { fixture } = gateway;
    fixture.add(1);
    let release: (() => void) | undefined;
    fixture.holdLog = (after) =>
      after === BEGINNING.after && !release ? new Promise((resolve) => void (release = resolve)) : undefined;
    const subscriber = kept(subscribe(gateway.url, 'admin:suspended', { query: EVENTS, variables: BEGINNING }));
    const held = await until(() => release);
    const witness = kept(overWebSocket(gateway.url, 'admin:active', { query: EVENTS, variables: BEGINNING }));
    fixture.inactive.add('admin:suspended');
    fixture.add(2);
    await witness.first(3);
    held();
    const ending = await subscriber.ended;
    expect(subscriber.messages).toEqual([]);
    if (transport === 'WebSocket') expect(ending).toMatchObject({ kind: 'closed', code: 4401 });
    else expect(ending).toMatchObject({ kind: 'closed', code: 401 });
    await witness.stop();
    await until(async () =>
      /gateway_subscriptions{[^}]*} [1-9]/.test(await gateway.registry.metrics()) ? undefined : true,
    );
  },
);

it('A subscription that starts while the gateway stops is ended, so that the gateway does not wait for it', async () => {
  const { fixture } = gateway;
  let release: (() => void) | undefined;
  fixture.holdLog = () => {
    fixture.holdLog = () => undefined;
    return new Promise((resolve) => {
      release = resolve;
    });
  };
  const subscriber = kept(overEvents(gateway.url, 'admin:one', { query: EVENTS, variables: BEGINNING }));
  const held = await until(() => release);
  const closing = gateway.close();
  held();
  await closing;
  expect((await subscriber.ended).kind).toBe('closed');
});

interface Gauge {
  get(): Promise<{ readonly values: readonly { readonly value: number }[] }>;
}

/** Returns the message with the first result of an operation, as it is sent. */
async function rawMessage({ url }: EventGateway, isSocket: boolean, query: string): Promise<string> {
  if (isSocket) {
    const socket = await openSocket(url, 'admin:raw');
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
    const [message] = (await once(socket, 'message')) as [Buffer];
    socket.terminate();
    return String(message);
  }
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    authorization: 'Bearer admin:raw',
  };
  const { body } = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  let text = '';
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (text.includes('event: next')) break;
  }
  return text;
}

describe('Identical subscriptions', () => {
  it('are executed once for each event, also when they start at different cursors', async () => {
    const { fixture } = gateway;
    fixture.add(3);
    const early = kept(overWebSocket(gateway.url, 'admin:one', { query: EVENTS, variables: BEGINNING }));
    const late = kept(overEvents(gateway.url, 'admin:two', { query: EVENTS, variables: { after: '1' } }));
    await Promise.all([early.first(3), late.first(1)]);
    fixture.add(2);
    await Promise.all([early.first(5), late.first(3)]);
    const executed = fixture.executed.filter((id) => fixture.ids.indexOf(id) > 2); // after both have started
    expect(executed.toSorted()).toEqual(fixture.ids.slice(3));
  });

  it('with other permissions or another selection are executed separately', async () => {
    const { fixture } = gateway;
    fixture.add(1);
    const other = EVENTS.replace('text', 'cursor');
    const subscribers = [
      overWebSocket(gateway.url, 'admin:one', { query: EVENTS, variables: BEGINNING }),
      overWebSocket(gateway.url, 'admin:one', { query: other, variables: BEGINNING }),
      overWebSocket(gateway.url, 'data_user:one', { query: EVENTS, variables: BEGINNING }),
    ].map(kept);
    await Promise.all(subscribers.map((each) => each.first(1)));
    expect(fixture.executed).toEqual([fixture.ids[0], fixture.ids[0], fixture.ids[0]]);
  });
});

describe('A WebSocket', () => {
  it('is closed when the token expires by the clock of the register, also without subscriptions', async () => {
    const socket = await openSocket(gateway.url, 'admin:idle');
    const closed = once(socket, 'close') as Promise<[number, Buffer]>;
    gateway.fixture.ahead = 3_601_000;
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([4403, expect.stringContaining('AUT002')]);
  });

  it('is closed as going away when the gateway stops, which does not wait for its client', async () => {
    const socket = await openSocket(gateway.url, 'admin:one');
    socket.pause();
    const limit = pause(4_000, 'late', { ref: false });
    expect(await Promise.race([gateway.close().then(() => 'closed'), limit])).toBe('closed'); // `ws` alone would wait for 30 s
    const closed = once(socket, 'close') as Promise<[number, Buffer]>;
    socket.resume();
    expect((await closed)[0]).toBe(1001);
  });

  it('continues its subscriptions after a query that exceeds a limit', async () => {
    const client = socketClient(gateway.url, 'admin:one');
    const subscriber = kept(overWebSocket(gateway.url, 'admin:one', { query: EVENTS, variables: BEGINNING }, client));
    gateway.fixture.add(1);
    await subscriber.first(1);
    const rejected = overWebSocket(gateway.url, 'admin:one', TOO_DEEP, client);
    expect(await errorsOf(rejected)).toEqual([TOO_MANY_LEVELS]);
    gateway.fixture.add(1);
    await subscriber.first(2);
    expect(idsOf(subscriber)).toEqual(gateway.fixture.ids);
  });

  it('runs a limited number of operations at once', async () => {
    const client = socketClient(gateway.url, 'admin:one');
    const subscribers = Array.from({ length: 51 }, () =>
      kept(overWebSocket(gateway.url, 'admin:one', { query: EVENTS }, client)),
    );
    expect(await errorsOf(subscribers.at(-1) as Subscriber)).toEqual([
      {
        message: 'This connection already runs 50 operations, the maximum. End one, or open another connection.',
        extensions: { code: 'LIM002' },
      },
    ]);
    gateway.fixture.add(1);
    await (subscribers[0] as Subscriber).first(1);
  });

  it('has the same client address as a request', async () => {
    const proxied = await startEventGateway({ trustProxy: true });
    try {
      const socket = await openSocket(proxied.url, 'admin:one', { 'x-forwarded-for': '192.0.2.7' });
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: '{ origin { clientAddress } }' } }));
      const [message] = (await once(socket, 'message')) as [Buffer];
      expect(JSON.parse(String(message)).payload.data).toEqual({ origin: { clientAddress: '192.0.2.7' } });
      socket.terminate();
    } finally {
      await proxied.close();
    }
  });

  it.each([
    ['a message that is not JSON', 'nonsense', 4400],
    [
      'a subscription before authentication',
      JSON.stringify({ id: '1', type: 'subscribe', payload: { query: EVENTS } }),
      4401,
    ],
    ['a message that is too long', 'x'.repeat(300_000), 1009],
  ])('is closed after %s', async (_, message, code) => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send(message);
    expect((await once(socket, 'close'))[0]).toBe(code);
  });
});

describe('A request for an upgrade', () => {
  it('to HTTP/2 is handled like a plain request', async () => {
    const body = JSON.stringify({ query: '{ origin { clientAddress } }' });
    const head = `POST /graphql HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade, HTTP2-Settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n`;
    const response = await exchange(
      `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(response).toMatch(/^HTTP\/1.1 200 OK[^]*"clientAddress":"127.0.0.1"/);
  });

  it('to a WebSocket at another path is handled like a plain request', async () => {
    const response = await exchange(
      'GET /none HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    expect(response).toMatch(/^HTTP\/1.1 404 [^]*NTF001/);
  });

  const exchange = async (text: string): Promise<string> => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write(text);
    let response = '';
    socket.on('data', (chunk: Buffer) => {
      response += chunk.toString();
    });
    await until(() => (/\r\n\r\n[^]*}/.test(response) ? true : undefined));
    socket.destroy();
    return response;
  };
});
