import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TrustProxy } from '../../../../process/settings/environment';
import type { SubgraphLink } from '../../../../subgraphs/server/graph/subgraph-link';
import { KEYS, startTestGateway, twoSubgraphs } from '../../../support/two-subgraphs';
import { AK, startTestAdapter } from '../../../support/rest-graph';
import { webServer } from '../../../../web/shared/web-server';
import pino, { type Logger } from 'pino';

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

  describe('X-Forwarded-For', () => {
    const SENDERS: [server: string, start: (trustProxy: TrustProxy, logger: Logger) => Promise<FastifyInstance>][] = [
      [
        'the adapter',
        async (trustProxy, logger) => (await startTestAdapter({ trustProxy }, undefined, logger)).adapter.app,
      ],
      [
        'the gateway',
        async (trustProxy, logger) => {
          const settings = { port: 0, production: true, trustProxy };
          return (await startTestGateway({}, { settings, logger })).app;
        },
      ],
      [
        'portal and console',
        (trustProxy, logger) => {
          const settings = { port: 0, host: 'localhost', production: true, trustProxy };
          const onError = (_error: unknown, _request: FastifyRequest, reply: FastifyReply) => void reply.send();
          return webServer({ settings, logger, headers: {}, onError });
        },
      ],
    ];

    it.each(SENDERS)('makes %s warn once when no proxy is trusted', async (_, start) => {
      const warnings = async (trustProxy: TrustProxy, headers: Record<string, string>) => {
        const lines: string[] = [];
        const app = await start(trustProxy, pino({ level: 'warn' }, { write: (line) => void lines.push(line) }));
        try {
          for (let request = 0; request < 2; request++) await app.inject({ url: '/health/live', headers });
          return lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
        } finally {
          await app.close();
        }
      };
      const forwarded = { 'x-forwarded-for': CLIENT };
      expect(await warnings(false, forwarded)).toEqual([
        expect.stringMatching(/^X-Forwarded-For ignored: TRUST_PROXY /),
      ]);
      expect(await warnings(false, {})).toEqual([]);
      expect(await warnings(1, forwarded)).toEqual([]);
    });
  });
}
