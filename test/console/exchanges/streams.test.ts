import { once } from 'node:events';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fastify, { type FastifyInstance } from 'fastify';
import type { Outlet } from '../../../console/page';
import { type StreamBounds, openStreams } from '../../../console/request/open-streams';
import { until } from '../../support/until';

/** Milliseconds; a browser is cut off after `cutAfter`. */
const BOUNDS: StreamBounds = { heartbeat: 20, cutAfter: 400, ofSession: 2 };
/** With time for a browser that takes {@link MUCH}, also on a busy machine. */
const PATIENT: StreamBounds = { ...BOUNDS, cutAfter: 3_000 };
/** More than the buffers of both ends of a connection hold. */
const MUCH = 'x'.repeat(16 * 1024 * 1024);
const HEARTBEAT = ':\n\n';

let app: FastifyInstance;
let outlets: Outlet[];
let streams: ReturnType<typeof openStreams>;
let browsers: Socket[];
/** The server's ends of the connections. */
let served: Socket[];

beforeEach(() => listen(BOUNDS));

afterEach(close);

/** Starts the server of a test. */
async function listen(bounds: StreamBounds): Promise<void> {
  outlets = [];
  browsers = [];
  served = [];
  streams = openStreams(bounds);
  app = fastify({ forceCloseConnections: true });
  app.get('/:session', (request, reply) => {
    outlets.push(streams.open(request, reply, (request.params as { session: string }).session));
  });
  app.server.on('connection', (socket: Socket) => served.push(socket));
  await app.listen({ port: 0, host: '127.0.0.1' });
}

async function close(): Promise<void> {
  for (const socket of browsers) socket.destroy();
  await app.close();
}

/** A browser that opens a stream of a session; whoever made it reads from it, or not. */
async function browser(session: string): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  browsers.push(socket);
  await once(socket, 'connect');
  socket.write(`GET /${session} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  return socket;
}

/** A stream whose browser takes nothing. */
async function stalled(): Promise<Outlet> {
  await browser('stalled');
  const outlet = await until(() => outlets[0]);
  outlet.send({ event: 'much', data: MUCH });
  expect(outlet.isBehind()).toBe(true);
  return outlet;
}

describe('a stream', () => {
  it('whose browser takes nothing is cut off, and nothing is sent to keep it', async () => {
    const outlet = await stalled();
    const since = performance.now();
    const waiting = served[0]?.writableLength;
    await until(() => (performance.now() - since > 5 * BOUNDS.heartbeat ? true : undefined));
    expect([waiting, served[0]?.writableLength]).toEqual([expect.any(Number), waiting]);
    await until(() => (outlet.gone.aborted ? true : undefined));
    expect(performance.now() - since).toBeGreaterThan(BOUNDS.cutAfter / 2);
    expect(await connections()).toBe(0);
  });

  it('whose browser takes nothing is cut off also when it has ended', async () => {
    const outlet = await stalled();
    outlet.end();
    expect(await connections()).toBe(1);
    await until(async () => ((await connections()) === 0 ? true : undefined));
  });

  it('whose browser is slow, but takes what was sent, goes on', async () => {
    await close();
    await listen(PATIENT);
    const socket = await browser('slow');
    const outlet = await until(() => outlets[0]);
    outlet.send({ event: 'much', data: MUCH });
    const sentAt = performance.now();
    expect(outlet.isBehind()).toBe(true);
    socket.resume();
    await until(() => (outlet.isBehind() ? undefined : true));
    await until(() => (performance.now() - sentAt > 1.2 * PATIENT.cutAfter ? true : undefined));
    let received = '';
    socket.on('data', (data) => (received += String(data)));
    await until(() => (received.split(HEARTBEAT).length > 5 ? true : undefined));
    expect(outlet.gone.aborted).toBe(false);
  });

  it('is one of so many of a session: another is refused until one of them has gone', async () => {
    const first = await browser('a');
    await browser('a');
    await browser('b');
    await until(() => outlets[2]);
    expect(streams.ofSession('a')).toHaveLength(2);
    expect(await status('a')).toBe(500); // the server of this test has no page for a refusal
    first.destroy();
    await until(() => (streams.ofSession('a').length === 1 ? true : undefined));
    await browser('a');
    await until(() => (streams.ofSession('a').length === 2 ? true : undefined));
  });

  it('ends with all others', async () => {
    const answers = [await browser('a'), await browser('b')].map((socket) => text(socket));
    await until(() => outlets[1]);
    streams.endAll();
    for (const answer of await Promise.all(answers)) expect(answer).toContain('retry: ');
    expect([...streams.ofSession('a'), ...streams.ofSession('b')]).toEqual([]);
  });
});

/** How many connections are open. */
function connections(): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** What a request for a stream is answered. */
async function status(session: string): Promise<number> {
  const socket = await browser(session);
  const [head] = (await once(socket, 'data')) as [Buffer];
  return Number(String(head).split(' ')[1]);
}
