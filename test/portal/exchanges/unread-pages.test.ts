import { once } from 'node:events';
import pino from 'pino';
import { type RunningServer, listen, webServer } from '../../../web/shared/web-server';
import { MUCH, shortenUnreadTime, unconnected, unreadRequest } from '../../support/unread-response';

const settings = { port: 0, host: '127.0.0.1', production: false, trustProxy: false };

let pages: RunningServer;

beforeAll(async () => {
  const logger = pino({ level: 'silent' });
  const app = await webServer({ settings, logger, headers: {}, onError: (_error, _request, reply) => reply.send() });
  app.get('/page', (_request, reply) => reply.send(MUCH));
  pages = await listen(app, settings);
});

afterAll(() => pages.close());

describe('A page of the portal or the console', () => {
  it('whose browser reads nothing for half a minute loses its connection', async () => {
    const { server } = pages.app;
    shortenUnreadTime(server);
    expect(server.timeout).toBe(200);
    const browser = unreadRequest(server, 'GET /page');
    await once(server, 'request');
    await unconnected(server);
    browser.destroy();
  });
});
