import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { Writable } from 'node:stream';
import pino from 'pino';
import type { GraphResult } from '../../../gateway/client/graph-client';
import { startPortal } from '../../../web/portal/portal';
import type { CustomerRecord } from '../../../web/portal/presentation/operation-results';
import { type DownloadLimits, openDownloads } from '../../../web/portal/request/open-downloads';
import type { RunningServer } from '../../../web/shared/web-server';
import { customerRecord } from '../../support/customer-records';
import { until } from '../../support/until';

/** A short time, so that the tests are fast. */
const BOUNDS: DownloadLimits = { drainTimeoutMs: 400, maxPerSession: 2 };
/** A long time, in which no download of the tests ends. */
const PATIENT: DownloadLimits = { ...BOUNDS, drainTimeoutMs: 600_000 };
const MUCH = 'x'.repeat(1024 * 1024);
const SESSION = { mpxn: '1012345678', address: null, moveInDate: '2024-02-29', isCurrent: true, isContested: false };

/** Returns a page of access records, as the gateway of these tests does. */
type ReadPage = (part: string, after: string | null) => Promise<GraphResult> | GraphResult;

let portal: RunningServer;
let browsers: Socket[];
let log: Record<string, unknown>[];

/** Starts a portal whose gateway returns these pages. */
async function start(limits: DownloadLimits, readPage: ReadPage): Promise<void> {
  browsers = [];
  log = [];
  const lines = new Writable({
    write: (line, _encoding, written) => (log.push(JSON.parse(String(line)) as Record<string, unknown>), written()),
  });
  const run = async (operation: string, { part, after }: Record<string, unknown>) =>
    operation === 'ReadCustomerSession'
      ? { data: { session: { ...SESSION, returnUrl: null } }, failures: [] }
      : await readPage(String(part), after as string | null);
  const settings = { port: 0, host: '127.0.0.1', production: false, trustProxy: [], mailLimit: 3 };
  const portalUrl = 'http://localhost:4002';
  const urls = {
    portalUrl,
    identityRedirectUrl: `${portalUrl}/identify`,
    supportUrl: undefined,
    privacyUrl: undefined,
  };
  const graph = { run, admit: () => Promise.resolve(undefined) };
  const options = { graph, key: Buffer.alloc(32, 7), logger: pino(lines), settings: { ...settings, ...urls } };
  portal = await startPortal(options, openDownloads(limits));
}

afterEach(async () => {
  for (const socket of browsers) socket.destroy();
  await portal.close();
});

const pageOf = (nodes: readonly CustomerRecord[], nextCursor: string | null = null): GraphResult => ({
  data: { page: { nodes, nextCursor } },
  failures: [],
});

/** Pages without end. */
const endless: ReadPage = () => pageOf([customerRecord({ purpose: MUCH })], 'next');

/** Requests a download as a browser would, which reads nothing unless the caller reads from the connection. */
async function browser(session: string): Promise<Socket> {
  const socket = connect(Number(new URL(portal.url).port), '127.0.0.1');
  browsers.push(socket);
  await once(socket, 'connect');
  socket.write(`GET /history.json HTTP/1.1\r\nhost: localhost\r\ncookie: register-session=${session}\r\n\r\n`);
  return socket;
}

/** Returns the status of the response to a request for a download; reads nothing after it. */
async function status(session: string): Promise<number> {
  const socket = await browser(session);
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return Number(String(head).split(' ')[1]);
}

/** Downloads a whole file. */
function downloaded(): Promise<Response> {
  return fetch(new URL('/history.json', portal.url), { headers: { cookie: 'register-session=a' } });
}

/** Returns the number of open connections. */
function connections(): Promise<number> {
  return new Promise((resolve, reject) => {
    portal.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

describe('a download', () => {
  it('whose browser reads nothing is ended', async () => {
    await start(BOUNDS, endless);
    const since = performance.now();
    expect(await status('a')).toBe(200);
    await until(async () => ((await connections()) === 0 ? true : undefined));
    expect(performance.now() - since).toBeGreaterThan(BOUNDS.drainTimeoutMs / 2);
  });

  it('of a browser that reads everything continues while the register reads the next page', async () => {
    await start(BOUNDS, async (part, after) => {
      const since = performance.now();
      if (after !== null) await until(() => (performance.now() - since > 2 * BOUNDS.drainTimeoutMs ? true : undefined));
      return pageOf([customerRecord({ id: `${part}${after}`, purpose: MUCH })], after === null ? 'last' : null);
    });
    const data = (await (await downloaded()).json()) as { 'access-records': { purpose: string }[] };
    expect(data['access-records'].map(({ purpose }) => purpose.length)).toEqual(Array(4).fill(MUCH.length));
  });

  it('is rejected beyond the limit of its session, until another one has ended', async () => {
    await start(PATIENT, endless);
    expect([await status('a'), await status('a'), await status('b')]).toEqual([200, 200, 200]);
    const rejected = await downloaded();
    expect([rejected.status, Number(rejected.headers.get('retry-after'))]).toEqual([429, 600]);
    browsers[0]?.destroy();
    await until(async () => ((await status('a')) === 200 ? true : undefined));
  });

  it('does not count if its browser had left before it started', async () => {
    let waiting = 0;
    let read = (): void => undefined;
    const released = new Promise<void>((resolve) => (read = resolve));
    await start(PATIENT, async (...page) => {
      waiting += 1;
      await released;
      return endless(...page);
    });
    for (let n = 1; n <= PATIENT.maxPerSession; n += 1) await browser('a');
    await until(() => (waiting === PATIENT.maxPerSession ? true : undefined));
    for (const socket of browsers) socket.destroy();
    await until(async () => ((await connections()) === 0 ? true : undefined));
    read();
    expect([await status('a'), await status('a')]).toEqual([200, 200]);
  });

  it('contains a record that ends meanwhile once, as it was read first', async () => {
    const ended = { ...customerRecord(), state: 'REVOKED' } as CustomerRecord;
    const earlier = { ...ended, id: 'earlier' };
    await start(PATIENT, (part) => pageOf(part === 'CURRENT' ? [customerRecord()] : [ended, earlier]));
    const data = (await (await downloaded()).json()) as { 'access-records': { state: string }[] };
    expect(data['access-records'].map(({ state }) => state)).toEqual(['ACTIVE', 'REVOKED']);
  });

  it.each([
    ['SYS002', { level: 40, msg: 'download broken off', code: 'SYS002' }],
    ['SYS001', { level: 50, msg: 'internal error' }],
  ] as const)('that fails with %s on its second page is broken off and logged', async (code, line) => {
    const failed: GraphResult = { failures: [{ code, message: 'of the register' }] };
    await start(PATIENT, (_part, after) => (after === null ? endless('', after) : failed));
    const response = await downloaded();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
    const id = response.headers.get('transaction-id');
    expect(log).toContainEqual(expect.objectContaining({ ...line, 'transaction-id': id }));
  });
});
