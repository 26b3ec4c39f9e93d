import type { TrustProxy } from '../../../../process/settings/environment';
import type { SubgraphLink } from '../../../../subgraphs/server/graph/subgraph-link';
import { KEYS, startTestGateway, twoSubgraphs } from '../../../support/two-subgraphs';
import { AK, startTestAdapter } from '../../../support/rest-graph';
import pino from 'pino';

export function clientAddress(): void {
  const FORGED = '203.0.113.66';
  const CLIENT = '198.51.100.7';
  /** `X-Forwarded-For` as the last proxy sends it when the client sent one itself. */
  const FORWARDED = `${FORGED}, ${CLIENT}`;

  const ADDRESSES: [setting: TrustProxy, forwarded: string, address: RegExp][] = [
    [false, FORWARDED, /127\.0\.0\.1$/],
    [0, FORWARDED, /127\.0\.0\.1$/],
    [1, FORWARDED, /^198\.51\.100\.7$/],
    [1, CLIENT, /^198\.51\.100\.7$/],
    [2, FORWARDED, /^203\.0\.113\.66$/],
    [['loopback'], FORWARDED, /^198\.51\.100\.7$/],
    [['127.0.0.0/8', '::ffff:127.0.0.1', CLIENT], FORWARDED, /^203\.0\.113\.66$/],
    [['192.0.2.0/24'], FORWARDED, /127\.0\.0\.1$/],
    [true, FORWARDED, /^203\.0\.113\.66$/],
    [true, 'nobody', /127\.0\.0\.1$/],
  ];

  describe.each(ADDRESSES)('With TRUST_PROXY=%j, X-Forwarded-For: %s', (trustProxy, forwarded, address) => {
    const headers = { 'x-forwarded-for': forwarded };

    it('is the client address of the adapter', async () => {
      const { adapter, graph } = await startTestAdapter({ trustProxy });
      try {
        await fetch(`http://127.0.0.1:${new URL(adapter.url).port}/v1/access-records/${AK}`, { headers });
        expect(graph.calls[0]?.metadata.clientAddress).toMatch(address);
      } finally {
        await adapter.close();
      }
    });

    it('is the client address of the gateway', async () => {
      const addresses: string[] = [];
      const { links } = await twoSubgraphs(pino({ level: 'silent' }));
      const seeing = (link: SubgraphLink): SubgraphLink => ({
        name: link.name,
        execute: (request, context) => {
          addresses.push(context.clientAddress);
          return link.execute(request, context);
        },
      });
      const settings = { port: 0, production: true, trustProxy };
      const gateway = await startTestGateway({}, { links: links.map(seeing), settings });
      try {
        await fetch(`http://127.0.0.1:${new URL(gateway.url).port}/graphql`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ query: `{ accessRecord(key: "${KEYS.own}") { state } }` }),
        });
        expect(addresses).toEqual([expect.stringMatching(address)]);
      } finally {
        await gateway.close();
      }
    });
  });
}
