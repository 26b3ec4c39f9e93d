import type { FastifyInstance } from 'fastify';
import type { GraphClient } from '../gateway/client/graph-client';
import { remoteGraphClient } from '../gateway/client/remote-graph-client';
import { completeKeys } from '../sandbox/keys';
import { RegisterError } from '../schema/register-error';
import { type SigningKeys, type TokenVerifier, localVerifier, remoteVerifier } from '../subgraphs/server/bearer-token';
import type { ServiceName } from '../subgraphs/server/caller';
import { isReady, remoteLink } from '../subgraphs/server/remote-link';
import type { RunningSubgraph } from '../subgraphs/server/running-subgraph';
import { type ServiceTokens, serviceTokens } from '../subgraphs/server/service-token';
import type { SubgraphLink } from '../subgraphs/server/subgraph-link';
import { serveSubgraph } from '../subgraphs/server/subgraph-server';
import { ASKS } from './asks';
import { type Keys, SERVICES, sealingKeys } from './keys';
import type { Settings } from './settings';

/** Where `access` publishes the public half of the keys that sign tokens. */
export const KEY_SET_PATH = '/.well-known/jwks.json';

/** How the services of the register reach each other: directly in one process, else over HTTP (architecture, decision 1). */
export class Wiring {
  private readonly subgraphs = new Map<ServiceName, RunningSubgraph>();
  private client: GraphClient | undefined;

  constructor(private readonly settings: Settings) {}

  /** Whether this process runs a service. */
  runs(service: ServiceName): boolean {
    return this.settings.services.has(service);
  }

  /** The keys of the settings, among which those named are there. */
  keys(needed: readonly (keyof Keys)[]): Keys {
    return completeKeys(this.settings.keys, needed);
  }

  /** The three keys of a subgraph that holds sealed and findable values. */
  sealingKeys(subgraph: 'identity' | 'tariffs') {
    const names = [`${subgraph}HashKey`, `${subgraph}IndexKey`, `${subgraph}EncryptionKey`] as const;
    return sealingKeys(this.keys(names), subgraph);
  }

  signing(): SigningKeys {
    return { issuer: this.settings.baseUrl, keys: this.keys(['tokenSigningKeys']).tokenSigningKeys };
  }

  tokens(service: ServiceName): ServiceTokens {
    return serviceTokens(service, this.keys(['serviceKey']).serviceKey);
  }

  verifier(): TokenVerifier {
    return this.runs('access')
      ? localVerifier(this.signing())
      : remoteVerifier(this.keySetUrl(), this.settings.baseUrl);
  }

  /** Where the key set is, when `access` runs elsewhere. */
  keySetUrl(): string {
    return `${this.settings.serviceUrls.access}${KEY_SET_PATH}`;
  }

  /** The way from one service to a subgraph. */
  link(to: ServiceName, from: ServiceName): SubgraphLink {
    return this.subgraphs.get(to)?.link ?? remoteLink(to, this.settings.serviceUrls[to], this.tokens(from));
  }

  /** The way to a subgraph that starts after the one that asks it: until it runs here, if it is to, it is unavailable (SYS002). */
  laterLink(to: ServiceName, from: ServiceName): SubgraphLink {
    let link: SubgraphLink | undefined;
    return {
      name: to,
      execute: async (request, context) => {
        if (this.runs(to) && !this.subgraphs.has(to)) throw new RegisterError('SYS002');
        return (link ??= this.link(to, from)).execute(request, context);
      },
    };
  }

  /** The graph for one of its clients. */
  graph(client: ServiceName): GraphClient {
    return this.client ?? remoteGraphClient(this.settings.serviceUrls.gateway, this.tokens(client));
  }

  /** Whether a subgraph can answer. */
  ready(to: ServiceName): Promise<boolean> {
    return this.subgraphs.get(to)?.ready() ?? isReady(this.settings.serviceUrls[to]);
  }

  /** The gateway runs here. */
  gatewayRuns(client: GraphClient): void {
    this.client = client;
  }

  /** A subgraph runs here: one that some other process may ask is served over HTTP, with its routes; the others have no port. */
  async subgraphRuns(
    name: ServiceName,
    subgraph: RunningSubgraph,
    routes?: (app: FastifyInstance) => void,
  ): Promise<FastifyInstance | undefined> {
    this.subgraphs.set(name, subgraph);
    if (SERVICES.every((service) => this.runs(service) || !ASKS[service].includes(name))) return undefined;
    const { host, ports } = this.settings;
    return serveSubgraph({
      name,
      link: subgraph.link,
      ready: subgraph.ready,
      tokens: this.tokens(name),
      verifier: this.verifier(),
      ...(subgraph.foreignCaller ? { foreignCaller: subgraph.foreignCaller } : {}),
      port: ports[name],
      host,
      ...(routes ? { routes } : {}),
    });
  }
}
