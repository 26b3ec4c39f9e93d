import { execFile } from 'node:child_process';
import { type Server, createServer } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import type { SendResult } from '../../../subgraphs/delivery/requests/sender';
import { FROM_SOURCES } from '../../support/run/product-command';
import { type TestAuthority, type TestCertificate, testAuthority } from '../../support/test-authority';

describe('Certificates of receivers', () => {
  let authority: TestAuthority;
  let stranger: TestAuthority;
  const servers: Server[] = [];
  let posts = 0;
  beforeAll(() => {
    authority = testAuthority();
    stranger = testAuthority();
  });
  afterEach(() => {
    posts = 0;
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    authority.remove();
    stranger.remove();
  });

  /** Starts a receiver with a certificate; returns its URL with a host name or address. */
  async function receiver(certificate: TestCertificate, host = 'localhost', options = {}): Promise<string> {
    const server = createServer({ ...certificate, ...options }, (incoming, outgoing) => {
      posts += 1;
      incoming.resume();
      outgoing.writeHead(204).end();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `https://${host}:${(server.address() as { port: number }).port}/`;
  }

  /** Sends to the URLs one after the other from another process, whose environment adds trusted authorities. */
  async function sent(urls: readonly string[], environment: Record<string, string>): Promise<SendResult[]> {
    const script = join(REPOSITORY_ROOT, 'test/support/sender-process.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [...FROM_SOURCES, script, ...urls], {
      env: { ...process.env, ...environment },
    });
    return JSON.parse(stdout) as SendResult[];
  }

  const known = () => ({ NODE_EXTRA_CA_CERTS: authority.file });

  it('are accepted from an authority that NODE_EXTRA_CA_CERTS adds, if they are valid now, for this name, with a current TLS version', async () => {
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    const receivers = {
      'in order': await receiver(authority.issue('DNS:localhost')),
      'for another name': await receiver(authority.issue('DNS:elsewhere.example')),
      'for a name, not an address': await receiver(authority.issue('DNS:localhost'), '127.0.0.1'),
      expired: await receiver(authority.issue('DNS:localhost', -1)),
      'too old a version': await receiver(authority.issue('DNS:localhost'), 'localhost', old),
      'of an unknown authority': await receiver(stranger.issue('DNS:localhost')),
    };
    const results = await sent(Object.values(receivers), known());
    const kinds = Object.keys(receivers).map((kind, index) => [kind, results[index]?.status, results[index]?.error]);
    expect(kinds).toEqual([
      ['in order', 204, null],
      ['for another name', null, 'tls'],
      ['for a name, not an address', null, 'tls'],
      ['expired', null, 'tls'],
      ['too old a version', null, 'tls'],
      ['of an unknown authority', null, 'tls'],
    ]);
    expect(posts).toBe(1);
  });

  it('are rejected from an unknown authority, whatever NODE_TLS_REJECT_UNAUTHORIZED is', async () => {
    const url = await receiver(stranger.issue('DNS:localhost'));
    const results = await sent([url], { ...known(), NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(results).toMatchObject([{ status: null, error: 'tls' }]);
    expect(posts).toBe(0);
  });
});
