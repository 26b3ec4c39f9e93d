import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import pino from 'pino';
import type { SubgraphLink } from '../../../../subgraphs/server/graph/subgraph-link';
import { KEYS, startTestGateway, twoSubgraphs } from '../../../support/two-subgraphs';
import { MUCH, shortenUnreadTime, unconnected, unreadRequest } from '../../../support/unread-response';

/** Responses that clients do not read, or wait for. */
export function unreadResponses(): void {
  const BODY = JSON.stringify({ query: `{ accessRecord(key: "${KEYS.own}") { state } }` });
  const JSON_TYPE = 'content-type: application/json\r\n';

  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  let state: string;
  let released: Promise<unknown>;
  beforeEach(async () => {
    [state, released] = ['ACTIVE', Promise.resolve()];
    const { links } = await twoSubgraphs(pino({ level: 'silent' }));
    const holding = links.map(({ name }): SubgraphLink => ({
      name,
      execute: async () => (await released, { data: { accessRecord: { state } } }),
    }));
    gateway = await startTestGateway({}, { links: holding });
    shortenUnreadTime(gateway.app.server);
  });
  afterEach(() => gateway.close());

  it('are ended when the client has read nothing for half a minute', async () => {
    state = MUCH;
    const { server } = gateway.app;
    expect(server.timeout).toBe(200);
    const client = unreadRequest(server, 'POST /graphql', JSON_TYPE, BODY);
    await once(server, 'request');
    await unconnected(server);
    client.destroy();
  });

  it('are not ended while they are not ready, and their connections remain open for as long as idle ones', async () => {
    const { server } = gateway.app;
    let release = (): void => undefined;
    released = new Promise<void>((resolve) => (release = resolve));
    const agent = new Agent({ keepAlive: true });
    const headers = { 'content-type': 'application/json', 'content-length': BODY.length };
    const sent = request(`${gateway.url}/graphql`, { method: 'POST', headers, agent });
    sent.end(BODY);
    await once(server, 'timeout');
    release();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(await json(response)).toMatchObject({ data: { accessRecord: { state: 'ACTIVE' } } });
    expect(response.headers['keep-alive']).toBe('timeout=72');
    agent.destroy();
  });

  it('leave connections that are closed once they are idle', async () => {
    const { server } = gateway.app;
    server.keepAliveTimeout = 50;
    const client = unreadRequest(server, 'POST /graphql', JSON_TYPE, BODY);
    await once(server, 'request');
    await unconnected(server);
    client.destroy();
  });
}
