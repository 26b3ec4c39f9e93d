import fastify, { type FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { serveMetrics } from '../../../subgraphs/server/observability/metrics-route';

const served: FastifyInstance[] = [];
afterAll(() => Promise.all(served.map((app) => app.close())));

/** Returns the status of a request for metrics. */
async function statusOf(production: boolean, remoteAddress: string, headers: Record<string, string> = {}) {
  const app = fastify({ trustProxy: true });
  served.push(app);
  serveMetrics(app, new Registry(), production);
  return (await app.inject({ url: '/metrics', remoteAddress, headers })).statusCode;
}

describe('Metrics in production', () => {
  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '172.18.0.5', '192.168.0.9', 'fd00::1', 'fe80::1'])(
    'are served to %s',
    async (address) => {
      expect(await statusOf(true, address)).toBe(200);
    },
  );

  it.each(['203.0.113.5', '2001:db8::1', '::ffff:203.0.113.5', '100.64.0.1'])('are 404 for %s', async (address) => {
    expect(await statusOf(true, address)).toBe(404);
  });

  it.each([{ 'x-forwarded-for': '10.1.2.3' }, { forwarded: 'for=10.1.2.3' }])(
    'are 404 through a proxy: %j',
    async (headers) => {
      expect(await statusOf(true, '127.0.0.1', headers as unknown as Record<string, string>)).toBe(404);
    },
  );
});

describe('Metrics outside production', () => {
  it('are served to every client', async () => {
    expect(await statusOf(false, '203.0.113.5', { 'x-forwarded-for': '203.0.113.6' })).toBe(200);
  });
});
