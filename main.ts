import type { Logger } from 'pino';
import { Registry, collectDefaultMetrics } from 'prom-client';
import type { FastifyInstance } from 'fastify';
import { type RunningGateway, startGateway } from './gateway/gateway';
import { apiSchemaOf } from './gateway/supergraph';
import { startRestAdapter } from './rest-adapter/adapter';
import { remoteKeySet } from './rest-adapter/remote-key-set';
import { remoteGraphClient } from './gateway/client/remote-graph-client';
import { type DemoData, samplesOf } from './sandbox/demo-data';
import { loadSandbox } from './sandbox/sandbox';
import { completeKeys, sandboxedSettings } from './sandbox/keys';
import { launchPostgres } from './sandbox/postgres/launch-postgres';
import { generatedSchema } from './schema/generated-schema';
import { serviceLog } from './process/service-log';
import { type Keys, SERVICES } from './process/keys';
import { ASKS, type Settings } from './process/settings';
import { type EndWish, closeServer, endWish, grace } from './process/shutdown';
import { startFault } from './process/start-fault';
import { startAccess } from './subgraphs/access/access';
import { startIdentity } from './subgraphs/identity/identity';
import {
  type SigningKeys,
  type TokenVerifier,
  localVerifier,
  publicKeys,
  remoteVerifier,
} from './subgraphs/server/bearer-token';
import type { ServiceName } from './subgraphs/server/caller';
import { isReady, remoteLink } from './subgraphs/server/remote-link';
import type { RunningSubgraph } from './subgraphs/server/running-subgraph';
import { serviceTokens } from './subgraphs/server/service-token';
import type { SubgraphLink } from './subgraphs/server/subgraph-link';
import { exportTraces } from './subgraphs/server/tracing';
import { serveSubgraph } from './subgraphs/server/subgraph-server';

/**
 * READ FIRST: the composition root. The services that SERVICES names start here, in this order: database, identity, access,
 * gateway, rest-adapter; in one process they call each other directly, else over HTTP (architecture, decision 1).
 */
export async function startRegister(settings: Settings, logger: Logger, end?: EndWish): Promise<RunningRegister> {
  const parts = new Parts(settings, logger, end);
  try {
    parts.traces();
    for (const part of ['database', 'identity', 'access', 'gateway', 'restAdapter', 'sandbox'] as const) {
      await parts[part]();
      end?.wished.throwIfAborted();
    }
  } catch (error) {
    await parts.close();
    throw error;
  }
  return { urls: parts.urls, close: () => parts.close() };
}

/** The register, running in this process. */
export interface RunningRegister {
  /** Addresses of what this process serves to its users. */
  readonly urls: Readonly<Record<string, string>>;
  /** Ends everything this process started, the last first; a second call waits for the first. */
  close(): Promise<void>;
}

/** What has been started, and how the next part reaches it. */
class Parts {
  readonly urls: Record<string, string> = {};
  private readonly closers: ((hurry: AbortSignal) => Promise<unknown>)[] = [];
  private readonly metrics = new Registry();
  private databaseUrl = '';
  private readonly subgraphs = new Map<ServiceName, RunningSubgraph>();
  private runningGateway: RunningGateway | undefined;
  private accounts: Awaited<ReturnType<typeof startAccess>>['accounts'] | undefined;
  private demo: DemoData | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly logger: Logger,
    private readonly end: EndWish | undefined,
  ) {
    collectDefaultMetrics({ register: this.metrics });
  }

  /** Traces go to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names, if any. */
  traces(): void {
    if (!this.settings.exportTraces) return;
    this.closers.push(exportTraces([...this.settings.services].join(',')));
  }

  /** The PostgreSQL that DATABASE_URL names, or one of our own below DATA_DIR. */
  async database(): Promise<void> {
    const { databaseUrl, dataDir } = this.settings;
    if (!this.runs('access') && !this.runs('identity')) return;
    if (databaseUrl !== undefined) {
      this.databaseUrl = databaseUrl;
      return;
    }
    const postgres = await launchPostgres({ dataDir, log: this.logger, onLost: endWithoutDatabase });
    this.closers.push(() => postgres.stop());
    this.databaseUrl = postgres.url;
  }

  async identity(): Promise<void> {
    if (!this.runs('identity')) return;
    const keys = this.keys(['identityIndexKey', 'identityEncryptionKey', 'identityHashKey']);
    const identity = await startIdentity({
      ...this.subgraphOptions(),
      keys: {
        indexKey: keys.identityIndexKey,
        encryptionKey: keys.identityEncryptionKey,
        hashKey: keys.identityHashKey,
      },
    });
    await this.ran('identity', identity);
  }

  async access(): Promise<void> {
    if (!this.runs('access')) return;
    const keys = this.keys(['tokenSigningKeys', 'accessHashKey', 'accessEncryptionKey']);
    const access = await startAccess({
      ...this.subgraphOptions(),
      keys: { hashKey: keys.accessHashKey, encryptionKey: keys.accessEncryptionKey },
      signing: this.signing(),
      identity: this.link('identity', 'access'),
      clockOffsetSeconds: this.settings.clockOffsetSeconds,
    });
    this.accounts = access.accounts;
    await this.ran('access', access, (app) => app.get(KEY_SET_PATH, () => publicKeys(this.signing())));
  }

  async gateway(): Promise<void> {
    if (!this.runs('gateway')) return;
    const { supergraphSdl, audiences, trustedDocuments } = generatedSchema();
    const { host, ports, production, trustProxy } = this.settings;
    this.runningGateway = await startGateway({
      supergraphSdl,
      audiences,
      trustedDocuments,
      links: [this.link('access', 'gateway'), this.link('identity', 'gateway')],
      ready: async () => (await Promise.all([this.ready('access'), this.ready('identity')])).every(Boolean),
      verifier: this.verifier(),
      serviceTokens: this.tokens('gateway'),
      settings: { port: ports.gateway, host, production, trustProxy },
      logger: this.logger,
      metrics: this.metrics,
      landing: { explorer: !production, sampleKey: () => this.demo?.samples.access_keys.active },
    });
    const { app, close } = this.runningGateway;
    this.closers.push((hurry) => closeServer(app, close, hurry));
    this.urls['gateway'] = this.runningGateway.url;
  }

  async restAdapter(): Promise<void> {
    if (!this.runs('rest-adapter')) return;
    const { host, ports, production, trustProxy, baseUrl, serviceUrls } = this.settings;
    const adapter = await startRestAdapter({
      graph: this.runningGateway?.client ?? remoteGraphClient(serviceUrls.gateway, this.tokens('rest-adapter')),
      schema: this.runningGateway?.apiSchema ?? apiSchemaOf(generatedSchema().supergraphSdl),
      keySet: this.runs('access')
        ? () => Promise.resolve(publicKeys(this.signing()))
        : remoteKeySet(`${serviceUrls.access}${KEY_SET_PATH}`),
      samples: () => this.demo && samplesOf(this.demo),
      settings: { port: ports['rest-adapter'], host, baseUrl, trustProxy, production },
      logger: this.logger,
      metrics: this.metrics,
    });
    this.closers.push((hurry) => closeServer(adapter.app, adapter.close, hurry));
    this.urls['rest'] = adapter.url;
  }

  /** Outside production a whole register shows itself with demo data and a file of logins. */
  async sandbox(): Promise<void> {
    const whole = this.runningGateway !== undefined && this.urls['rest'] !== undefined && this.accounts !== undefined;
    if (this.settings.production || !whole || this.accounts === undefined) return;
    const urls = this.urls as { gateway: string; rest: string };
    this.demo = await loadSandbox({ dataDir: this.settings.dataDir, urls, accounts: this.accounts });
  }

  close(): Promise<void> {
    return (this.closing ??= this.closeAll());
  }

  private async closeAll(): Promise<void> {
    const hurry = this.end?.wished.aborted === true ? this.end.hurry : grace();
    for (const close of this.closers.toReversed()) {
      await close(hurry).catch((error: unknown) =>
        this.logger.error({ kind: (error as Error).name }, 'a part did not close'),
      );
    }
  }

  private runs(service: ServiceName): boolean {
    return this.settings.services.has(service);
  }

  private keys(needed: readonly (keyof Keys)[]): Keys {
    return completeKeys(this.settings.keys, needed);
  }

  private subgraphOptions() {
    return {
      databaseUrl: this.databaseUrl,
      logger: this.logger,
      production: this.settings.production,
      rateLimitsOff: this.settings.rateLimitsOff,
      limits: this.settings.limits,
    };
  }

  private signing(): SigningKeys {
    return { issuer: this.settings.baseUrl, keys: this.keys(['tokenSigningKeys']).tokenSigningKeys };
  }

  private tokens(service: ServiceName) {
    return serviceTokens(service, this.keys(['serviceKey']).serviceKey);
  }

  private verifier(): TokenVerifier {
    const { baseUrl, serviceUrls } = this.settings;
    return this.runs('access')
      ? localVerifier(this.signing())
      : remoteVerifier(`${serviceUrls.access}${KEY_SET_PATH}`, baseUrl);
  }

  /** The way from one service to a subgraph: direct when it runs here, else over HTTP. */
  private link(to: ServiceName, from: ServiceName): SubgraphLink {
    return this.subgraphs.get(to)?.link ?? remoteLink(to, this.settings.serviceUrls[to], this.tokens(from));
  }

  private ready(to: ServiceName): Promise<boolean> {
    return this.subgraphs.get(to)?.ready() ?? isReady(this.settings.serviceUrls[to]);
  }

  /** A subgraph that some other process may ask gets a port; where all who ask it run in this one it has none. */
  private async ran(
    name: ServiceName,
    subgraph: RunningSubgraph,
    routes?: (app: FastifyInstance) => void,
  ): Promise<void> {
    this.closers.push(subgraph.close);
    this.subgraphs.set(name, subgraph);
    if (SERVICES.every((service) => this.runs(service) || !ASKS[service].includes(name))) return;
    const { host, ports } = this.settings;
    const app = await serveSubgraph({
      name,
      link: subgraph.link,
      ready: subgraph.ready,
      tokens: this.tokens(name),
      verifier: this.verifier(),
      port: ports[name],
      host,
      ...(routes ? { routes } : {}),
    });
    this.closers.push((hurry) => closeServer(app, () => app.close(), hurry));
  }
}

const KEY_SET_PATH = '/.well-known/jwks.json';

/** The embedded PostgreSQL ended and cannot be started again: nothing can be answered any more. */
function endWithoutDatabase(error: unknown): void {
  console.error('PostgreSQL ended and cannot be started again:', error);
  process.exit(1);
}

async function main(end: EndWish): Promise<void> {
  const settings = await sandboxedSettings(process.env);
  const { logger, say } = serviceLog(settings.logLevel);
  const register = await startRegister(settings, logger, end);
  end.wished.addEventListener('abort', () => void register.close().then(() => process.exit(0)));
  const addresses = Object.entries(register.urls).map(([name, url]) => `${name} ${url}`);
  await say(`ready ${addresses.join(' ') || [...settings.services].join(' ')}`);
}

if (require.main === module) {
  const end = endWish();
  main(end).catch((error: unknown) => {
    if (end.wished.aborted) process.exit(0); // ended while it started, as wished: all that was started is closed
    console.error(startFault(error, process.env));
    process.exit(1);
  });
}
