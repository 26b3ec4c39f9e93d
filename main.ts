import type { Logger } from 'pino';
import { Registry, collectDefaultMetrics } from 'prom-client';
import type { FastifyInstance } from 'fastify';
import { type RunningGateway, startGateway } from './gateway/gateway';
import { apiSchemaOf } from './gateway/supergraph';
import { startRestAdapter } from './rest-adapter/adapter';
import { remoteGraphClient } from './rest-adapter/remote-graph-client';
import { loadSandbox } from './sandbox/sandbox';
import { completeKeys, sandboxedSettings } from './sandbox/keys';
import { launchPostgres } from './sandbox/postgres/launch-postgres';
import { generatedSchema } from './schema/generated-schema';
import { serviceLog } from './service-log';
import type { Keys } from './keys';
import { type Settings, SettingsError } from './settings';
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
import { remoteLink } from './subgraphs/server/remote-link';
import type { RunningSubgraph } from './subgraphs/server/running-subgraph';
import { serviceTokens } from './subgraphs/server/service-token';
import type { SubgraphLink } from './subgraphs/server/subgraph-link';
import { exportTraces } from './subgraphs/server/tracing';
import { serveSubgraph } from './subgraphs/server/subgraph-server';

/**
 * READ FIRST: the composition root. The services that SERVICES names start here, in this order: database, identity, access,
 * gateway, rest-adapter; in one process they call each other directly, else over HTTP (architecture, decision 1).
 */
export async function startRegister(settings: Settings, logger: Logger): Promise<RunningRegister> {
  const parts = new Parts(settings, logger);
  try {
    parts.traces();
    await parts.database();
    await parts.identity();
    await parts.access();
    await parts.gateway();
    await parts.restAdapter();
    await parts.sandbox();
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
  private readonly closers: (() => Promise<unknown>)[] = [];
  private readonly metrics = new Registry();
  private databaseUrl = '';
  private readonly subgraphs = new Map<ServiceName, RunningSubgraph>();
  private runningGateway: RunningGateway | undefined;
  private accounts: Awaited<ReturnType<typeof startAccess>>['accounts'] | undefined;
  private sampleKey: string | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly logger: Logger,
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
    const postgres = await launchPostgres({ dataDir, log: this.logger });
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
      verifier: this.verifier(),
      serviceTokens: this.tokens('gateway'),
      settings: { port: ports.gateway, host, production, trustProxy },
      logger: this.logger,
      metrics: this.metrics,
      landing: { explorer: !production, sampleKey: () => this.sampleKey },
    });
    this.closers.push(this.runningGateway.close);
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
        : () => fetchJson(`${serviceUrls.access}${KEY_SET_PATH}`),
      settings: { port: ports['rest-adapter'], host, baseUrl, trustProxy, production },
      logger: this.logger,
      metrics: this.metrics,
    });
    this.closers.push(adapter.close);
    this.urls['rest'] = adapter.url;
  }

  /** Outside production a whole register shows itself with demo data and a file of logins. */
  async sandbox(): Promise<void> {
    const whole = this.runningGateway !== undefined && this.urls['rest'] !== undefined && this.accounts !== undefined;
    if (this.settings.production || !whole || this.accounts === undefined) return;
    const urls = this.urls as { gateway: string; rest: string };
    const { samples } = await loadSandbox({ dataDir: this.settings.dataDir, urls, accounts: this.accounts });
    this.sampleKey = samples.access_keys.active;
  }

  close(): Promise<void> {
    return (this.closing ??= this.closeAll());
  }

  private async closeAll(): Promise<void> {
    for (const close of this.closers.toReversed()) {
      await close().catch((error: unknown) =>
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

  /** A subgraph that some other process needs gets a port; within one whole process it has none. */
  private async ran(
    name: ServiceName,
    subgraph: RunningSubgraph,
    routes?: (app: FastifyInstance) => void,
  ): Promise<void> {
    this.closers.push(subgraph.close);
    this.subgraphs.set(name, subgraph);
    if (WITHIN_ONE_PROCESS.every((service) => this.runs(service))) return;
    const { host, ports } = this.settings;
    const app = await serveSubgraph({
      name,
      link: subgraph.link,
      tokens: this.tokens(name),
      verifier: this.verifier(),
      port: ports[name],
      host,
      ...(routes ? { routes } : {}),
    });
    this.closers.push(() => app.close());
  }
}

/** When these run together, subgraphs are called directly and get no port. */
const WITHIN_ONE_PROCESS = ['gateway', 'access', 'identity'] as const;

const KEY_SET_PATH = '/.well-known/jwks.json';

async function fetchJson(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

async function main(): Promise<void> {
  const settings = await sandboxedSettings(process.env);
  const { logger, flush } = serviceLog(settings.logLevel);
  const register = await startRegister(settings, logger);
  // Both signals may come twice, since npm passes on what the terminal sent to the whole process group.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void register.close().then(() => process.exit(0)));
  }
  const addresses = Object.entries(register.urls).map(([name, url]) => `${name} ${url}`);
  flush();
  console.log(`ready ${addresses.join(' ') || [...settings.services].join(' ')}`);
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error instanceof SettingsError ? error.message : error);
    process.exit(1);
  });
}
