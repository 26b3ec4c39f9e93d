import { execFile } from 'node:child_process';
import { type Server, createServer } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import type { SendResult } from '../../subgraphs/delivery/sender';
import { type TestAuthority, type TestCertificate, testAuthority } from '../support/test-authority';

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

  /** A receiver with a certificate: its address by a host name or literal. */
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

  /** Sends from a process of its own, whose environment says which authorities it knows beside the usual ones. */
  async function sent(url: string, environment: Record<string, string>): Promise<SendResult> {
    const script = join(REPOSITORY_ROOT, 'test/support/sender-process.ts');
    const words = ['-r', join(REPOSITORY_ROOT, 'test/support/swc-register.js'), script, url];
    const { stdout } = await promisify(execFile)(process.execPath, words, { env: { ...process.env, ...environment } });
    return (JSON.parse(stdout) as [SendResult])[0];
  }

  const known = () => ({ NODE_EXTRA_CA_CERTS: authority.file });

  it('are accepted from an authority that NODE_EXTRA_CA_CERTS adds', async () => {
    expect(await sent(await receiver(authority.issue('DNS:localhost')), known())).toMatchObject({
      status: 204,
      error: null,
    });
    expect(posts).toBe(1);
  });

  it('are refused from an authority that is not known, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    const url = await receiver(stranger.issue('DNS:localhost'));
    expect(await sent(url, known())).toMatchObject({ status: null, error: 'tls' });
    expect(await sent(url, { ...known(), NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toMatchObject({
      status: null,
      error: 'tls',
    });
    expect(posts).toBe(0);
  });

  it('are refused when they are for another name', async () => {
    const url = await receiver(authority.issue('DNS:elsewhere.example'));
    expect(await sent(url, known())).toMatchObject({ status: null, error: 'tls' });
    expect(await sent(await receiver(authority.issue('DNS:localhost'), '127.0.0.1'), known())).toMatchObject({
      error: 'tls',
    });
    expect(posts).toBe(0);
  });

  it('are refused when they have expired', async () => {
    expect(await sent(await receiver(authority.issue('DNS:localhost', -1)), known())).toMatchObject({ error: 'tls' });
    expect(posts).toBe(0);
  });

  it('are of no use with a version of TLS that is too old', async () => {
    const versions = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    const url = await receiver(authority.issue('DNS:localhost'), 'localhost', versions);
    expect(await sent(url, known())).toMatchObject({ status: null, error: 'tls' });
  });
});
