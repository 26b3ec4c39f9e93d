import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { CallerSources } from '../gateway/callers/authentication';
import { clientCalls } from '../gateway/client/client-calls';
import type { GraphClient } from '../gateway/client/graph-client';
import { remoteGraphClient } from '../gateway/client/remote-graph-client';
import { RegisterError } from '../schema/register-error';
import {
  type SigningKeys,
  type TokenVerifier,
  localVerifier,
  remoteVerifier,
} from '../subgraphs/server/callers/bearer-token';
import type { ServiceName } from '../subgraphs/server/callers/caller';
import { SERVICE_RIGHTS } from '../subgraphs/server/callers/service-rights';
import { remoteLink } from '../subgraphs/server/graph/remote-link';
import type { RunningSubgraph } from '../subgraphs/server/graph/running-subgraph';
import { subgraphCalls } from '../subgraphs/server/graph/subgraph-calls';
import type { SubgraphLink } from '../subgraphs/server/graph/subgraph-link';
import { type ServiceLink, serviceLink } from '../subgraphs/server/link/link-client';
import type { LinkHandler } from '../subgraphs/server/link/link-server';
import { ServiceAgent } from '../subgraphs/server/link/peer-check';
import { type ServiceFetch, serviceFetch, serviceRequests } from '../subgraphs/server/link/service-requests';
import { type ServiceIdentity, serviceIdentity } from '../subgraphs/server/link/service-identity';
import { type ServiceServerOptions, serveService } from '../subgraphs/server/link/service-server';
import type { Keys, Subgraph } from './settings/keys';
import { SERVICE_KEY_VARIABLES, SUBGRAPHS, completeKeys, subgraphKeys } from './settings/keys';
import { servicesCalledFromOutside } from './service-dependencies';
import { serveGraphql } from './subgraph-http';
import type { CalledService, Settings } from './settings/settings';
import type { StartedServices } from './shutdown';

/** Path at which `access` publishes the public keys of bearer tokens. */
export const KEY_SET_PATH = '/.well-known/jwks.json';

/**
 * Connects the services: by direct calls within one process, over links (mutual TLS) otherwise. No other file depends
 * on the difference.
 */
export class Wiring {
  private readonly subgraphs = new Map<ServiceName, RunningSubgraph>();
  /** Links to services of other processes, by caller and called service. */
  private readonly links = new Map<string, ServiceLink>();
  /** Closes the links and agents. */
  private readonly closers: (() => void)[] = [];
  private gatewayClient: GraphClient | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly logger: Logger,
    private readonly started: StartedServices,
  ) {
    started.add(async () => this.closers.forEach((close) => close()));
  }

  /** Returns true if this process runs the service. */
  runs(service: ServiceName): boolean {
    return this.settings.services.has(service);
  }

  /** Returns the keys of the settings; throws if one of the needed keys is missing. */
  keys(needed: readonly (keyof Keys)[]): Keys {
    return completeKeys(this.settings.keys, needed);
  }

  /** Returns the hash, index and encryption key of a subgraph. */
  subgraphKeys(subgraph: 'identity' | 'tariffs') {
    const names = [`${subgraph}HashKey`, `${subgraph}IndexKey`, `${subgraph}EncryptionKey`] as const;
    return subgraphKeys(this.keys(names), subgraph);
  }

  signing(): SigningKeys {
    return { issuer: this.settings.baseUrl, keys: this.keys(['tokenSigningKeys']).tokenSigningKeys };
  }

  /** Returns the verifier of a service for bearer tokens. */
  verifier(of: ServiceName): TokenVerifier {
    return this.runs('access')
      ? localVerifier(this.signing())
      : remoteVerifier(this.keySetUrl(), this.settings.baseUrl, this.fetch('access', of));
  }

  /** Returns the URL of the key set of `access`, for processes that do not run `access`. */
  keySetUrl(): string {
    return `${this.settings.serviceUrls.access}${KEY_SET_PATH}`;
  }

  /** Returns a `fetch` from a service to one of another process. */
  fetch(to: CalledService, from: ServiceName): ServiceFetch {
    return serviceFetch(this.agent(to, from));
  }

  /** Returns how a service sends requests for bytes to one of another process. */
  requests(to: CalledService, from: ServiceName) {
    return serviceRequests(this.agent(to, from));
  }

  /** Returns the link from a service to a subgraph. */
  link(to: CalledService, from: ServiceName): SubgraphLink {
    return this.subgraphs.get(to)?.link ?? remoteLink(to, this.serviceLink(to, from));
  }

  /** Returns a link to a subgraph that starts later in this process. Calls throw SYS002 until it has started. */
  laterLink(to: CalledService, from: ServiceName): SubgraphLink {
    let link: SubgraphLink | undefined;
    return {
      name: to,
      execute: async (request, context) => {
        if (this.runs(to) && !this.subgraphs.has(to)) throw new RegisterError('SYS002');
        return (link ??= this.link(to, from)).execute(request, context);
      },
    };
  }

  /** Returns the client through which a service calls the gateway. */
  graph(client: ServiceName): GraphClient {
    return this.gatewayClient ?? remoteGraphClient(this.serviceLink('gateway', client));
  }

  /** Returns the check of the gateway whether all subgraphs can serve requests now. */
  readiness(): () => Promise<boolean> {
    const checks = SUBGRAPHS.map((name): (() => Promise<boolean>) => {
      const subgraph = this.subgraphs.get(name) ?? this.serviceLink(name, 'gateway');
      return () => subgraph.ready();
    });
    return async () => (await Promise.all(checks.map((isUp) => isUp()))).every(Boolean);
  }

  /** Registers the gateway that runs in this process, and serves services of other processes. */
  async addGateway(client: GraphClient, options: Pick<ServiceServerOptions, 'ready' | 'sockets'>): Promise<void> {
    this.gatewayClient = client;
    await this.serve('gateway', this.settings.gatewayLinkPort, () => clientCalls(client), options);
  }

  /**
   * Registers a subgraph that runs in this process, and serves services of other processes, with its extra routes.
   */
  async addSubgraph(name: Subgraph, subgraph: RunningSubgraph, routes?: (app: FastifyInstance) => void): Promise<void> {
    this.subgraphs.set(name, subgraph);
    const { link, ready, foreignCaller } = subgraph;
    const calls = () =>
      subgraphCalls({ name, link, verifier: this.verifier(name), ...(foreignCaller ? { foreignCaller } : {}) });
    const served: ServiceServerOptions['routes'] = (app, callerOf) => {
      routes?.(app);
      serveGraphql(app, { link, callerOf, sources: this.callerSources(name) });
    };
    await this.serve(name, this.settings.ports[name], calls, { ready, routes: served });
  }

  /** Returns how a subgraph identifies the callers of another router. It queries only services that it may call. */
  private callerSources(name: Subgraph): CallerSources {
    const link = (to: CalledService) =>
      to === name || SERVICE_RIGHTS[name][to] !== undefined ? this.laterLink(to, name) : undefined;
    const access = link('access') as SubgraphLink; // every subgraph may call it
    return {
      service: name,
      verifier: this.verifier(name),
      access,
      identity: link('identity'),
      tariffs: link('tariffs'),
    };
  }

  /** Starts the server of a service if services of other processes call it. */
  private async serve(
    name: ServiceName,
    port: number,
    handle: () => LinkHandler,
    options: Pick<ServiceServerOptions, 'ready' | 'routes' | 'sockets'>,
  ): Promise<void> {
    const { host, services } = this.settings;
    if (!servicesCalledFromOutside(services).includes(name)) return;
    const server = { identity: this.identity(name), handle: handle(), port, host, logger: this.logger };
    this.started.addServer(await serveService({ ...options, ...server }));
  }

  /** Returns the link between two services, the same at each call. */
  private serviceLink(to: CalledService, from: ServiceName): ServiceLink {
    const present = this.links.get(`${from} ${to}`);
    if (present) return present;
    const link = serviceLink(this.identity(from), to, this.settings.serviceUrls[to], this.logger);
    this.links.set(`${from} ${to}`, link);
    this.closers.push(() => link.close());
    return link;
  }

  /** Returns how a service connects to one of another process. */
  agent(to: CalledService, from: ServiceName): ServiceAgent {
    const agent = new ServiceAgent(this.identity(from), to);
    this.closers.push(() => agent.destroy());
    return agent;
  }

  private identity(of: ServiceName): ServiceIdentity {
    const { own, all } = this.settings.serviceKeys;
    const key = own[of];
    if (key === undefined) throw new Error(`${SERVICE_KEY_VARIABLES[of]} is missing`);
    return serviceIdentity(of, key, all);
  }
}
