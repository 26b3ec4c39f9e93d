import { X509Certificate, generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { type Server, createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { connect } from 'node:tls';
import { WebSocket } from 'ws';
import { RegisterError } from '../../../schema/register-error';
import type { LinkHandler } from '../../../subgraphs/server/link/link-server';
import { ServiceAgent, tlsSettings } from '../../../subgraphs/server/link/peer-check';
import { type ServiceIdentity, publicKeyText } from '../../../subgraphs/server/link/service-identity';
import { LinkedServices, newServiceKey } from '../../support/linked-installation';
import { until } from '../../support/until';

let services: LinkedServices;
beforeEach(() => {
  services = new LinkedServices();
});
afterEach(() => services.close());

const whoCalls: LinkHandler = (from) => Promise.resolve(from);
const resultOf = (work: Promise<unknown>) => work.then(String, (error: RegisterError) => error.code);
const logged = (text: string) => services.lines.filter((line) => line.includes(text)).length;

/** Returns an identity whose certificate expires at another time, signed again with its key. */
function ending(identity: ServiceIdentity, key: ReturnType<typeof newServiceKey>, end: string): ServiceIdentity {
  const whole = Buffer.from(new X509Certificate(identity.cert).raw);
  whole.write(end, whole.indexOf('99991231235959Z'), 'latin1');
  const start = whole.indexOf(Buffer.from([0x30]), 2); // after the header of the whole certificate: the signed part
  const lengthBytes = (whole[start + 1] as number) & 0x7f;
  const contentEnd = start + 2 + lengthBytes + whole.readUIntBE(start + 2, lengthBytes);
  sign(null, whole.subarray(start, contentEnd), key).copy(whole, whole.length - 64);
  return { ...identity, cert: new X509Certificate(whole).toString() };
}

/** Returns an RSA-PSS key, and the certificate of an identity with this key in place of its own. */
function withRsaPssKey({ cert }: ServiceIdentity): Pick<ServiceIdentity, 'key' | 'cert'> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa-pss', {
    modulusLength: 2_048,
    publicKeyEncoding: { format: 'der', type: 'spki' },
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
  });
  const { raw, publicKey: former } = new X509Certificate(cert);
  const replaced = former.export({ format: 'der', type: 'spki' });
  const signed = raw.subarray(raw.indexOf(Buffer.from([0x30]), 2));
  const start = signed.indexOf(replaced);
  const content = Buffer.concat([signed.subarray(2 + ((signed[1] as number) & 0x7f), start), publicKey]);
  const rest = signed.subarray(start + replaced.length);
  return { key: privateKey, cert: new X509Certificate(sequence(Buffer.concat([sequence(content), rest]))).toString() };
}

/** Encodes a DER sequence of at least 256 bytes. */
function sequence(content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x30, 0x82, content.length >> 8, content.length & 0xff), content]);
}

describe('A service key', () => {
  it('that is revoked is rejected, while another key of the same service is accepted', async () => {
    const [revoked, kept] = [newServiceKey(), newServiceKey()];
    const identity = services.identity('access');
    const before = new Map([
      ...identity.publicKeys,
      [publicKeyText(revoked), 'gateway'],
      [publicKeyText(kept), 'gateway'],
    ] as const);
    const after = new Map([...before].filter(([key]) => key !== publicKeyText(revoked)));
    const gateway = (key: typeof kept) => ({ ...services.identity('gateway', key), publicKeys: before });
    for (const [publicKeys, expected] of [
      [before, ['gateway', 'gateway']],
      [after, ['SYS002', 'gateway']],
    ] as const) {
      const { url } = await services.serve('access', whoCalls, { identity: { ...identity, publicKeys } });
      const links = [revoked, kept].map((key) => services.link('gateway', 'access', url, gateway(key)));
      expect(await Promise.all(links.map((link) => resultOf(link.call({}))))).toEqual(expected);
    }
    expect(logged('link rejected')).toBe(1);
  });

  it('of a called service that is revoked receives no request from callers that have removed it', async () => {
    const received: unknown[] = [];
    const { url } = await services.serve('access', (from) => (received.push(from), Promise.resolve(from)));
    const identity = services.identity('gateway');
    const publicKeys = new Map([...identity.publicKeys].filter(([, service]) => service !== 'access'));
    expect(await resultOf(services.link('gateway', 'access', url, { ...identity, publicKeys }).call({}))).toBe(
      'SYS002',
    );
    expect(received).toEqual([]);
    expect(logged('UNKNOWN_PEER')).toBe(1);
  });
});

describe('A certificate with a key of another type', () => {
  it('is rejected at both ends, which serve on', async () => {
    const stranger = { ...services.identity('gateway'), ...withRsaPssKey(services.identity('gateway')) };
    const { url } = await services.serve('access', whoCalls);
    expect(await resultOf(services.link('gateway', 'access', url, stranger).call({}))).toBe('SYS002');
    expect(await resultOf(services.link('gateway', 'access', url).call({}))).toBe('gateway');
    const impostor = await services.serve('access', whoCalls, { identity: stranger });
    expect(await resultOf(services.link('gateway', 'access', impostor.url).call({}))).toBe('SYS002');
    expect([logged('link rejected'), logged('UNKNOWN_PEER')]).toEqual([1, 1]);
  });
});

describe('A rejected connection', () => {
  it('is closed although the client keeps its half open', async () => {
    const { port, app } = await services.serve('access', whoCalls);
    const raw = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true });
    const client = connect({ socket: raw, rejectUnauthorized: false }).on('error', () => undefined);
    client.write('GET /link HTTP/1.1\r\nhost: access\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
    expect(String(await new Promise((resolve) => void client.once('data', resolve)))).toMatch(/^HTTP\/1.1 403 /);
    const connections = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));
    await until(async () => ((await connections()) === 0 ? true : undefined));
    raw.destroy();
  });
});

describe('The validity period of a certificate', () => {
  it('is ignored at both ends: a listed key is accepted, an unlisted one is rejected', async () => {
    const [server, client, stranger] = [newServiceKey(), newServiceKey(), newServiceKey()];
    const publicKeys = new Map([
      ...services.identity('access').publicKeys,
      [publicKeyText(server), 'access'],
      [publicKeyText(client), 'gateway'],
    ] as const);
    const expired = (name: 'access' | 'gateway', key: typeof server) =>
      ending({ ...services.identity(name, key), publicKeys }, key, '20010101000000Z');
    expect(new X509Certificate(expired('gateway', client).cert).validTo).toMatch(/2001/);
    const { url } = await services.serve('access', whoCalls, { identity: expired('access', server) });
    expect(await resultOf(services.link('gateway', 'access', url, expired('gateway', client)).call({}))).toBe(
      'gateway',
    );
    expect(await resultOf(services.link('gateway', 'access', url, expired('gateway', stranger)).call({}))).toBe(
      'SYS002',
    );
  });
});

describe('A service of the previous version', () => {
  it.each([
    ['with the subprotocol of that version', 'register.0'],
    ['without a subprotocol', undefined],
  ])('is rejected as a caller %s, and the rejection is logged', async (_, version) => {
    const { url } = await services.serve('access', whoCalls);
    const agent = new ServiceAgent(services.identity('gateway'), 'access');
    const socket = new WebSocket(`${url.replace('http', 'ws')}/link`, version ?? [], { agent });
    expect(await new Promise((resolve) => socket.on('error', ({ message }) => resolve(message)))).toMatch('400');
    agent.destroy();
    expect(logged('link rejected')).toBe(1);
    expect(services.lines.join()).toMatch(version === undefined ? /"version":""/ : /"version":"register.0"/);
  });

  it('is rejected as a caller by plain HTTP, which that version used', async () => {
    const { port } = await services.serve('access', whoCalls);
    const { key, cert } = tlsSettings(services.identity('gateway'));
    await expect(fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', body: '{}' })).rejects.toThrow(
      'fetch failed',
    );
    const socket = connect({ port, host: '127.0.0.1', key, cert, maxVersion: 'TLSv1.2', rejectUnauthorized: false });
    expect(await new Promise((resolve) => socket.on('error', ({ message }) => resolve(message)))).toMatch(/version/);
  });

  it('is not called: requests fail with SYS002, and the log names the service', async () => {
    const plain = createServer((_, response) => response.writeHead(200).end('{}'));
    const withoutLinks = createTlsServer(tlsSettings(services.identity('access')), (_, response) => response.end());
    for (const [server, scheme] of [
      [plain, 'http'],
      [withoutLinks, 'https'],
    ] as const) {
      const { port } = await listening(server as Server);
      const link = services.link('gateway', 'access', `https://127.0.0.1:${port}`);
      expect([scheme, await resultOf(link.call({}))]).toEqual([scheme, 'SYS002']);
      server.closeAllConnections();
      server.close();
    }
    await until(() => logged('service unreachable') === 2 || undefined);
    expect(services.lines.filter((line) => line.includes('"service":"access"'))).toHaveLength(2);
  });
});

describe('A service that is lost between the TLS handshake and the upgrade', () => {
  it('fails the requests that wait for the connection with SYS002, and the next attempt reaches its successor', async () => {
    const lost = createTlsServer(tlsSettings(services.identity('access')));
    let upgrades = 0;
    lost.on('upgrade', () => (upgrades += 1)); // no response
    const { port } = await listening(lost);
    const link = services.link('gateway', 'access', `https://127.0.0.1:${port}`);
    expect(await resultOf(link.call({}))).toBe('SYS002');
    expect(upgrades).toBe(1);
    lost.closeAllConnections();
    await new Promise((resolve) => lost.close(resolve));
    await services.serve('access', whoCalls, { port });
    expect(await resultOf(link.call({}))).toBe('gateway');
  }, 15_000);
});

async function listening(server: Server): Promise<AddressInfo> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address() as AddressInfo;
}
