import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Registry, collectDefaultMetrics } from 'prom-client';
import type { RunningGateway } from './gateway/gateway';
import { serviceLog } from './process/service-log';
import { SERVICES, SUBGRAPHS } from './process/keys';
import { type Settings, restSettings } from './process/settings';
import { type EndWish, type StartedParts, endWish, startedParts } from './process/shutdown';
import { startFault } from './process/start-fault';
import { KEY_SET_PATH, Wiring } from './process/wiring';
import { serveFileStore } from './rest-adapter/files/file-store-routes';
import { remoteFileStore } from './rest-adapter/files/remote-file-store';
import { remoteKeySet } from './rest-adapter/remote-key-set';
import { type DemoData, samplesOf } from './sandbox/demo-data';
import { sandboxedSettings } from './sandbox/keys';
import { launchPostgres } from './sandbox/postgres/launch-postgres';
import type { Mailbox } from './sandbox/mailbox';
import { loadSandbox } from './sandbox/sandbox';
import { generatedSchema } from './schema/generated-schema';
import { load } from './load-parts';
import type { AccountRepository } from './subgraphs/access/database/account.repository';
import type { RunningGridModels } from './subgraphs/grid-models/grid-models';
import { publicKeys } from './subgraphs/server/bearer-token';
import type { ServiceName } from './subgraphs/server/caller';
import { serveMetrics } from './subgraphs/server/metrics-route';
import type { RunningSubgraph } from './subgraphs/server/running-subgraph';
import { exportTraces } from './subgraphs/server/tracing';

const INNER_PARTS = ['mailbox', 'database', 'identity', 'access', 'gridModels', 'tariffs'] as const;
const PARTS = [...INNER_PARTS, 'gateway', 'restAdapter', 'portal', 'console', 'sandbox'] as const;

/**
 * READ FIRST: the composition root. The services that SERVICES names start here, in the order of {@link PARTS}; in one process they
 * call each other directly, else over HTTP (architecture, decision 1).
 */
export async function startRegister(settings: Settings, logger: Logger, end?: EndWish): Promise<RunningRegister> {
  const parts = new Parts(settings, logger, end);
  try {
    parts.traces();
    for (const part of PARTS) {
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
  private readonly started: StartedParts;
  private readonly metrics = new Registry();
  private readonly wiring: Wiring;
  private databaseUrl = '';
  private runningGateway: RunningGateway | undefined;
  private accounts: AccountRepository | undefined;
  private mails: Mailbox | undefined;
  private grid: RunningGridModels | undefined;
  private demo: DemoData | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly logger: Logger,
    end: EndWish | undefined,
  ) {
    this.started = startedParts(logger, end);
    this.wiring = new Wiring(settings);
    collectDefaultMetrics({ register: this.metrics });
  }

  /** Traces go to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names, if any. */
  traces(): void {
    if (!this.settings.exportTraces) return;
    this.started.add(exportTraces([...this.settings.services].join(',')));
  }

  /** The PostgreSQL that DATABASE_URL names, or one of our own below DATA_DIR. */
  async database(): Promise<void> {
    const { databaseUrl, dataDir } = this.settings;
    if (!SUBGRAPHS.some((subgraph) => this.wiring.runs(subgraph))) return;
    if (databaseUrl !== undefined) {
      this.databaseUrl = databaseUrl;
      return;
    }
    const postgres = await launchPostgres({ dataDir, log: this.logger, onLost: endWithoutDatabase });
    this.started.add(() => postgres.stop());
    this.databaseUrl = postgres.url;
  }

  /** Outside production, and without a mail server, mails go to a mailbox of the sandbox. */
  async mailbox(): Promise<void> {
    const { production, smtpUrl, host, sandboxPorts } = this.settings;
    if (production || smtpUrl !== undefined || !this.wiring.runs('identity')) return;
    this.mails = await load.mailbox().startMailbox({ port: sandboxPorts.mailbox, host });
    this.started.add(this.mails.close);
  }

  async identity(): Promise<void> {
    if (!this.wiring.runs('identity')) return;
    const identity = await load.identity().startIdentity({
      ...this.subgraphOptions(),
      keys: this.wiring.sealingKeys('identity'),
      places: { ...this.settings, smtpUrl: this.smtpUrl() },
      access: this.wiring.laterLink('access', 'identity'),
    });
    await this.ran('identity', identity);
  }

  async access(): Promise<void> {
    if (!this.wiring.runs('access')) return;
    const keys = this.wiring.keys(['tokenSigningKeys', 'accessHashKey', 'accessEncryptionKey']);
    const access = await load.access().startAccess({
      ...this.subgraphOptions(),
      keys: { hashKey: keys.accessHashKey, encryptionKey: keys.accessEncryptionKey },
      signing: this.wiring.signing(),
      identity: this.wiring.link('identity', 'access'),
      mail: { smtpUrl: this.smtpUrl(), mailFrom: this.settings.mailFrom },
      webhookAllowLoopback: this.settings.webhookAllowLoopback,
      discoveredMaxAgeDays: this.settings.discoveredMaxAgeDays,
      metrics: this.metrics,
    });
    this.accounts = access.accounts;
    await this.ran('access', access, (app) => {
      app.get(KEY_SET_PATH, () => publicKeys(this.wiring.signing()));
      serveMetrics(app, this.metrics, this.settings.production);
    });
  }

  async gridModels(): Promise<void> {
    if (!this.wiring.runs('grid-models')) return;
    const key = this.wiring.keys(['gridModelsKey']).gridModelsKey;
    this.grid = await load.gridModels().startGridModels({ ...this.subgraphOptions(), key });
    const { files } = this.grid;
    await this.ran('grid-models', this.grid, (app) => serveFileStore(app, files));
  }

  async tariffs(): Promise<void> {
    if (!this.wiring.runs('tariffs')) return;
    const tariffs = await load.tariffs().startTariffs({
      ...this.subgraphOptions(),
      keys: this.wiring.sealingKeys('tariffs'),
      webhookAllowLoopback: this.settings.webhookAllowLoopback,
      metrics: this.metrics,
    });
    await this.ran('tariffs', tariffs, (app) => serveMetrics(app, this.metrics, this.settings.production));
  }

  async gateway(): Promise<void> {
    if (!this.wiring.runs('gateway')) return;
    const { supergraphSdl, audiences, trustedDocuments } = generatedSchema();
    const { host, ports, production, trustProxy, rateLimitsOff } = this.settings;
    this.runningGateway = await load.gateway().startGateway({
      supergraphSdl,
      audiences,
      trustedDocuments,
      links: SUBGRAPHS.map((subgraph) => this.wiring.link(subgraph, 'gateway')),
      ready: async () => (await Promise.all(SUBGRAPHS.map((each) => this.wiring.ready(each)))).every(Boolean),
      verifier: this.wiring.verifier(),
      serviceTokens: this.wiring.tokens('gateway'),
      settings: { port: ports.gateway, host, production, trustProxy, rateLimitsOff },
      logger: this.logger,
      metrics: this.metrics,
      landing: { explorer: !production, sampleKey: () => this.demo?.samples.access_keys.active },
    });
    this.wiring.gatewayRuns(this.runningGateway.client);
    this.serves('gateway', this.runningGateway);
  }

  async restAdapter(): Promise<void> {
    if (!this.wiring.runs('rest-adapter')) return;
    const adapter = await load.restAdapter().startRestAdapter({
      graph: this.wiring.graph('rest-adapter'),
      schema: this.runningGateway?.apiSchema ?? load.supergraph().apiSchemaOf(generatedSchema().supergraphSdl),
      keySet: this.wiring.runs('access')
        ? () => Promise.resolve(publicKeys(this.wiring.signing()))
        : remoteKeySet(this.wiring.keySetUrl()),
      files: this.grid?.files ?? remoteFileStore(this.settings.serviceUrls['grid-models']),
      samples: () => this.demo && samplesOf(this.demo),
      settings: restSettings(this.settings),
      logger: this.logger,
      metrics: this.metrics,
    });
    this.serves('rest', adapter);
  }

  async portal(): Promise<void> {
    if (!this.wiring.runs('portal')) return;
    const { host, ports, production, trustProxy, portalUrl, identityRedirectUrl } = this.settings;
    const portal = await load.portal().startPortal({
      graph: this.wiring.graph('portal'),
      settings: { port: ports.portal, host, portalUrl, identityRedirectUrl, production, trustProxy },
      key: this.wiring.keys(['portalKey']).portalKey,
      logger: this.logger,
    });
    this.serves('portal', portal);
  }

  async console(): Promise<void> {
    if (!this.wiring.runs('console')) return;
    const { host, ports, production, trustProxy, consoleUrl, baseUrl } = this.settings;
    const console = await load.console().startConsole({
      graph: this.wiring.graph('console'),
      gatewayUrl: this.runningGateway?.url ?? this.settings.serviceUrls.gateway,
      settings: { port: ports.console, host, consoleUrl, filesUrl: new URL(baseUrl).origin, production, trustProxy },
      key: this.wiring.keys(['consoleKey']).consoleKey,
      logger: this.logger,
    });
    this.serves('console', console);
  }

  /** Outside production a whole register shows itself with demo data, a supplier to sign in at, and a file of logins. */
  async sandbox(): Promise<void> {
    const { production, services, dataDir, host, portalUrl, identityRedirectUrl, sandboxPorts } = this.settings;
    if (production || services.size < SERVICES.length || this.accounts === undefined) return;
    const redirectUris = [`${portalUrl}/sign-in/supplier/callback`];
    const client = { id: 'central-data-access-register', secret: randomBytes(32).toString('base64url') };
    const supplier = await load.supplier().startSupplier({ port: sandboxPorts.oidc, host, redirectUris, client });
    this.started.add(supplier.close);
    const { gateway, rest, portal, console } = this.urls as Record<'gateway' | 'rest' | 'portal' | 'console', string>;
    this.demo = await loadSandbox({
      dataDir,
      urls: { gateway, rest, portal, console, identity: identityRedirectUrl },
      mailbox: this.mails?.url,
      accounts: this.accounts,
      supplier,
    });
  }

  close(): Promise<void> {
    return this.started.close();
  }

  private serves(name: string, server: { url: string; app: FastifyInstance; close(): Promise<void> }): void {
    this.urls[name] = server.url;
    this.started.addServer(server);
  }

  private smtpUrl(): string | undefined {
    return this.settings.smtpUrl ?? this.mails?.smtpUrl;
  }

  private subgraphOptions() {
    const { production, rateLimitsOff, limits, clockOffsetSeconds } = this.settings;
    const { databaseUrl, logger } = this;
    return { databaseUrl, logger, production, rateLimitsOff, limits, clockOffsetSeconds };
  }

  private async ran(
    name: ServiceName,
    subgraph: RunningSubgraph,
    routes?: (app: FastifyInstance) => void,
  ): Promise<void> {
    this.started.add(subgraph.close);
    const app = await this.wiring.subgraphRuns(name, subgraph, routes);
    if (app) this.started.addServer({ app, close: () => app.close() });
  }
}

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
