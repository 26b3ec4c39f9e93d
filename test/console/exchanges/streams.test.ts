import { once } from 'node:events';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fastify, { type FastifyInstance } from 'fastify';
import type { EventStream } from '../../../web/console/page';
import { type StreamLimits, openStreams } from '../../../web/console/request/open-streams';
import { until } from '../../support/until';

/** Short limits, so that the tests are fast. */
const BOUNDS: StreamLimits = { heartbeatMs: 20, drainTimeoutMs: 400, maxPerSession: 2 };
/** Enough time for a browser to read {@link MUCH}, also on a busy machine. */
const PATIENT: StreamLimits = { ...BOUNDS, drainTimeoutMs: 3_000 };
/** Exceeds the buffers of both ends of a connection. */
const MUCH = 'x'.repeat(16 * 1024 * 1024);
const HEARTBEAT = 'event: heartbeat\ndata: 0\n\n';

let app: FastifyInstance;
let eventStreams: EventStream[];
let streams: ReturnType<typeof openStreams>;
let browsers: Socket[];
/** The server's ends of the connections. */
let served: Socket[];

beforeEach(() => listen(BOUNDS));

afterEach(close);

/** Starts the server of a test. */
async function listen(bounds: StreamLimits): Promise<void> {
  eventStreams = [];
  browsers = [];
  served = [];
  streams = openStreams(bounds);
  app = fastify({ forceCloseConnections: true });
  app.get('/:session', (request, reply) => {
    eventStreams.push(streams.open(request, reply, (request.params as { session: string }).session));
  });
  app.server.on('connection', (socket: Socket) => served.push(socket));
  await app.listen({ port: 0, host: '127.0.0.1' });
}

async function close(): Promise<void> {
  for (const socket of browsers) socket.destroy();
  await app.close();
}

/** Opens a stream of a session as a browser would; the caller decides whether to read from it. */
async function browser(session: string): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  browsers.push(socket);
  await once(socket, 'connect');
  socket.write(`GET /${session} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  return socket;
}

/** Opens a stream whose browser reads nothing. */
async function stalled(): Promise<EventStream> {
  await browser('stalled');
  const stream = await until(() => eventStreams[0]);
  stream.send({ event: 'much', data: MUCH });
  expect(stream.isBehind()).toBe(true);
  return stream;
}

describe('a stream', () => {
  it('whose browser reads nothing is destroyed, and gets no heartbeats', async () => {
    const stream = await stalled();
    const since = performance.now();
    const waiting = served[0]?.writableLength;
    await until(() => (performance.now() - since > 5 * BOUNDS.heartbeatMs ? true : undefined));
    expect([waiting, served[0]?.writableLength]).toEqual([expect.any(Number), waiting]);
    await until(() => (stream.closed.aborted ? true : undefined));
    expect(performance.now() - since).toBeGreaterThan(BOUNDS.drainTimeoutMs / 2);
    expect(await connections()).toBe(0);
  });

  it('whose browser reads nothing is destroyed also after its end', async () => {
    const stream = await stalled();
    stream.end();
    expect(await connections()).toBe(1);
    await until(async () => ((await connections()) === 0 ? true : undefined));
  });

  it('of a slow browser that reads everything continues', async () => {
    await close();
    await listen(PATIENT);
    const socket = await browser('slow');
    const stream = await until(() => eventStreams[0]);
    stream.send({ event: 'much', data: MUCH });
    const sentAt = performance.now();
    expect(stream.isBehind()).toBe(true);
    socket.resume();
    await until(() => (stream.isBehind() ? undefined : true));
    await until(() => (performance.now() - sentAt > 1.2 * PATIENT.drainTimeoutMs ? true : undefined));
    let received = '';
    socket.on('data', (data) => (received += String(data)));
    await until(() => (received.split(HEARTBEAT).length > 5 ? true : undefined));
    expect(stream.closed.aborted).toBe(false);
  });

  it('is rejected beyond the limit of its session, until another one has closed', async () => {
    const first = await browser('a');
    await browser('a');
    await browser('b');
    await until(() => eventStreams[2]);
    expect(streams.ofSession('a')).toHaveLength(2);
    expect(await status('a')).toBe(500); // the server of this test has no error page
    first.destroy();
    await until(() => (streams.ofSession('a').length === 1 ? true : undefined));
    await browser('a');
    await until(() => (streams.ofSession('a').length === 2 ? true : undefined));
  });

  it('ends with `endAll`', async () => {
    const responses = [await browser('a'), await browser('b')].map((socket) => text(socket));
    await until(() => eventStreams[1]);
    streams.endAll();
    for (const response of await Promise.all(responses)) expect(response).toContain('retry: ');
    expect([...streams.ofSession('a'), ...streams.ofSession('b')]).toEqual([]);
  });
});

/** Returns the number of open connections. */
function connections(): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** Returns the status of the response to a request for a stream. */
async function status(session: string): Promise<number> {
  const socket = await browser(session);
  const [head] = (await once(socket, 'data')) as [Buffer];
  return Number(String(head).split(' ')[1]);
}
