import dns from 'node:dns';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nameLookup } from '../../../subgraphs/server/outgoing/name-lookup';
import { type SendResult, type Sender, callbackSender } from '../../../subgraphs/delivery/requests/sender';
import { type NameServer, nameServer } from '../../support/name-server';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver';

const DISPATCH = { headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' }, body: '{"mpxn":"£"}' };

/** Makes an attempt whose body does not change. */
const sendBy = async (sender: Sender, url: string) => (await sender.send({ ...DISPATCH, url })) as SendResult;

describe('Sending to a callback URL', () => {
  let receiver: WebhookReceiver;
  let sender: Sender;
  beforeEach(async () => {
    receiver = await webhookReceiver();
    sender = callbackSender({ allowLoopback: true });
  });
  afterEach(async () => {
    sender.close();
    await receiver.close();
  });
  const send = (url = receiver.url) => sendBy(sender, url);

  it('sends body and headers unmodified', async () => {
    expect(await send()).toEqual({ status: 204, error: null, durationMs: expect.any(Number), retryAfterSeconds: null });
    const [post] = receiver.received;
    expect(post?.body).toBe(DISPATCH.body);
    expect(post?.headers).toMatchObject({ 'webhook-id': 'evt_1', 'content-length': '13' });
  });

  it.each([200, 201, 202, 204, 299])('succeeds with status %i', async (status) => {
    receiver.respondWith(() => status);
    expect(await send()).toMatchObject({ status, error: null });
  });

  it.each([400, 401, 404, 410, 429, 500, 503])('fails with status %i', async (status) => {
    receiver.respondWith(() => status);
    expect(await send()).toMatchObject({ status, error: 'refused-status' });
  });

  it.each([301, 302, 303, 307, 308])('fails with redirect %i without following it', async (status) => {
    receiver.respondWith(({ path }) =>
      path === '/hook' ? redirectTo(`http://127.0.0.1:${receiver.port}/other`, status) : 204,
    );
    expect(await send()).toMatchObject({ status, error: 'redirect' });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
  });

  describe('within half a second', () => {
    /** Milliseconds, with a margin for a busy machine; without the setting a request may take ten seconds. */
    const ENDED = 2_500;
    beforeEach(() => {
      sender.close();
      sender = callbackSender({ allowLoopback: true, exchangeMs: 500 });
    });

    it('fails if no response arrives in time', async () => {
      receiver.respondWith(() => () => undefined);
      const { durationMs, ...result } = await send();
      expect(result).toEqual({ status: null, error: 'timeout', retryAfterSeconds: null });
      expect(durationMs).toBeGreaterThanOrEqual(490);
      expect(durationMs).toBeLessThan(ENDED);
    });

    it('ignores a response that arrives later, and takes a new connection for the next request', async () => {
      let respondLate = (): unknown => undefined;
      receiver.respondWith(() => (_, outgoing) => void (respondLate = () => outgoing.writeHead(200).end()));
      expect((await send()).error).toBe('timeout');
      const connections = receiver.connections();
      receiver.respondWith(() => 503);
      respondLate();
      expect(await send()).toMatchObject({ status: 503, error: 'refused-status' });
      expect(receiver.connections()).toBe(connections + 1);
    });

    it('allows no more time for a response that arrives byte by byte', async () => {
      receiver.respondWith(() => (_, outgoing) => {
        const head = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Long: ';
        let at = 0;
        const drip = setInterval(() => outgoing.socket?.write(head[at++] ?? 'x'), 5);
        outgoing.on('close', () => clearInterval(drip));
      });
      const { durationMs, ...result } = await send();
      expect(result).toEqual({ status: null, error: 'timeout', retryAfterSeconds: null });
      expect(durationMs).toBeLessThan(ENDED);
    });
  });

  it('succeeds with a response after five seconds, and fails if it has none after ten', async () => {
    receiver.respondWith(
      ({ path }) =>
        (_, outgoing) =>
          void setTimeout(() => outgoing.writeHead(204).end(), path === '/in-time' ? 5_000 : 11_000),
    );
    const [inTime, late] = await Promise.all(
      ['/in-time', '/late'].map((path) => send(new URL(path, receiver.url).href)),
    );
    expect(inTime).toMatchObject({ status: 204, error: null });
    expect(late).toMatchObject({ status: null, error: 'timeout' });
  });

  it('stops reading an endless body', async () => {
    let written = 0;
    receiver.respondWith(() => (_, outgoing) => {
      outgoing.writeHead(200);
      const pour = setInterval(() => outgoing.write(Buffer.alloc(32_768), () => void (written += 32_768)), 1);
      outgoing.on('close', () => clearInterval(pour));
    });
    expect(await send()).toMatchObject({ status: 200, error: null });
    expect(written).toBeLessThan(4_000_000);
  });

  it('fails with a connection error if the receiver disconnects', async () => {
    receiver.respondWith(() => (incoming) => incoming.socket.destroy());
    expect(await send()).toMatchObject({ status: null, error: 'connection' });
  });

  it('sends a request again on a new connection if the receiver closes the reused one as it arrives', async () => {
    expect(await send()).toMatchObject({ status: 204 });
    const bodies: string[] = [];
    receiver.respondWith(({ body }) => {
      bodies.push(body);
      return bodies.length === 1 ? (incoming) => void incoming.socket.resetAndDestroy() : 204;
    });
    expect(await send()).toMatchObject({ status: 204, error: null });
    expect(bodies).toEqual([DISPATCH.body, DISPATCH.body]);
    expect(receiver.connections()).toBe(2);
  });

  it('sends a request only once if the reused connection ends within the response, or a new one without a response', async () => {
    expect(await send()).toMatchObject({ status: 204 });
    receiver.respondWith(
      () =>
        ({ socket }) =>
          void socket.write('HTTP/1.1 200', () => socket.resetAndDestroy()),
    );
    expect(await send()).toMatchObject({ status: null, error: 'connection' });
    receiver.respondWith(() => (incoming) => incoming.socket.resetAndDestroy());
    expect(await send()).toMatchObject({ status: null, error: 'connection' });
    expect(receiver.received).toHaveLength(3);
  });

  it('fails with a connection error if the port is closed', async () => {
    const { port } = receiver;
    await receiver.close();
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: null, error: 'connection' });
  });

  it('reuses a connection', async () => {
    for (let time = 0; time < 5; time += 1) expect(await send()).toMatchObject({ error: null });
    expect(receiver.connections()).toBe(1);
  });

  it.each([
    ['120', 120],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['1e3', null],
    ['2026-11-21', null],
  ])('reads Retry-After: %s', async (value, seconds) => {
    receiver.respondWith(() => (_, outgoing) => {
      outgoing.sendDate = false;
      outgoing.writeHead(503, { 'retry-after': value, date: 'Sat, 21 Nov 2026 10:00:00 GMT' }).end();
    });
    expect(await send()).toMatchObject({ retryAfterSeconds: seconds });
  });
});

describe('Names of receivers', () => {
  let names: NameServer;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await webhookReceiver();
    names = await nameServer((name, time) => {
      if (name === 'silent.example') return 'silent';
      if (name === 'mixed.example') return ['93.184.216.34', '10.0.0.7'];
      if (name === 'flips.example') return [time === 1 ? '127.0.0.1' : '10.0.0.7'];
      return name === 'here.example' ? ['127.0.0.1'] : [];
    });
  });
  afterAll(async () => {
    await names.close();
    await receiver.close();
  });
  const sending = async (host: string, allowLoopback: boolean) => {
    const sender = callbackSender({ allowLoopback, nameServers: [names.address], exchangeMs: 1_500 });
    const results = [];
    for (let time = 0; time < 2; time += 1)
      results.push((await sendBy(sender, `http${allowLoopback ? '' : 's'}://${host}:${receiver.port}/`)).error);
    sender.close();
    return results;
  };

  it('are resolved once per connection: the verified address is the connected one', async () => {
    receiver.respondWith(() => (_, outgoing) => void outgoing.writeHead(204, { connection: 'close' }).end());
    expect(await sending('flips.example', true)).toEqual([null, 'blocked-address']);
    expect(names.queriesFor('flips.example')).toBe(2);
    expect(receiver.received).toHaveLength(1);
  });

  it('with a loopback address are rejected except in development', async () => {
    const before = receiver.connections();
    expect(await sending('here.example', false)).toEqual(['blocked-address', 'blocked-address']);
    expect(await sending('localhost', false)).toEqual(['blocked-address', 'blocked-address']);
    expect(receiver.connections()).toBe(before);
  });

  it('are rejected if one of their addresses is not admitted', async () => {
    expect(await sending('mixed.example', false)).toEqual(['blocked-address', 'blocked-address']);
  });

  it('that do not exist are reported as name-not-found', async () => {
    expect(await sending('nobody.invalid', false)).toEqual(['name-not-found', 'name-not-found']);
  });

  it('whose name server does not respond do not delay others', async () => {
    const sender = callbackSender({ allowLoopback: true, nameServers: [names.address], exchangeMs: 3_000 });
    const silent = Array.from({ length: 20 }, () => sendBy(sender, 'https://silent.example/'));
    const other = sendBy(sender, `http://localhost:${receiver.port}/`);
    expect(await Promise.race([...silent, other])).toMatchObject({ status: 204, error: null });
    expect(new Set((await Promise.all(silent)).map((result) => result.error))).toEqual(new Set(['timeout']));
    sender.close();
  });

  it('that are unknown first and then get no response do not delay others: lookups use no thread of the process', async () => {
    const lookups = jest.spyOn(dns, 'lookup');
    expect(await sending('nobody.invalid', false)).toEqual(['name-not-found', 'name-not-found']);
    expect(lookups.mock.calls.map(([name]) => name)).not.toContain('nobody.invalid');
    lookups.mockRestore();
  });

  it('unknown to the name server may be in the hosts file', async () => {
    const fixture = await mkdtemp(join(tmpdir(), 'register-hosts-'));
    const hosts = join(fixture, 'hosts');
    await writeFile(
      hosts,
      '# 10.0.0.1 other\n93.184.216.34\tReceiver.Internal receiver # ours\n2001:db8::1 receiver\n',
    );
    const lookup = nameLookup([names.address], hosts);
    expect(await lookup.addressesOf('receiver')).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
    expect(await lookup.addressesOf('receiver.internal')).toEqual([{ address: '93.184.216.34', family: 4 }]);
    await expect(lookup.addressesOf('other')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    lookup.close();
    await rm(fixture, { recursive: true });
  });

  it('may have a loopback address in development', async () => {
    expect(await sending('here.example', true)).toEqual([null, null]);
    expect(receiver.connections()).toBeGreaterThan(0);
  });
});

function redirectTo(location: string, status: number) {
  return (_: unknown, outgoing: import('node:http').ServerResponse) =>
    void outgoing.writeHead(status, { location }).end();
}
