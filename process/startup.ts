import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Registry, collectDefaultMetrics } from 'prom-client';
import type { RunningGateway } from '../gateway/gateway';
import type { DemoData } from '../sandbox/sandbox-file';
import type { Mailbox } from '../sandbox/mailbox';
import type { AccountRepository } from '../subgraphs/access/accounts/account.repository';
import type { RunningGridModels } from '../subgraphs/grid-models/grid-models.module';
import type { RunningSubgraph } from '../subgraphs/server/graph/running-subgraph';
import { DatabaseAccess } from './database-access';
import type { Subgraph } from './settings/keys';
import type { Settings } from './settings/settings';
import { type ShutdownSignal, type StartedServices, startedServices } from './shutdown';
import { Wiring } from './wiring';

/** A server that users call. */
interface ListeningServer {
  readonly url: string;
  readonly app: FastifyInstance;
  /** Closes the server once the requests under way have their response, or when `forced` aborts. */
  close(forced: AbortSignal): Promise<void>;
}

/** The start of one process: what every start step uses, and what earlier steps started and later steps use. */
export class Startup {
  /** URLs of the servers that users call, by name. */
  readonly urls: Record<string, string> = {};
  readonly started: StartedServices;
  readonly metrics = new Registry();
  readonly wiring: Wiring;
  readonly databases: DatabaseAccess;
  gateway: RunningGateway | undefined;
  accounts: AccountRepository | undefined;
  mailbox: Mailbox | undefined;
  gridModels: RunningGridModels | undefined;
  demo: DemoData | undefined;

  constructor(
    readonly settings: Settings,
    readonly logger: Logger,
    shutdown: ShutdownSignal,
  ) {
    this.started = startedServices(logger, shutdown);
    this.wiring = new Wiring(settings, logger, this.started);
    this.databases = new DatabaseAccess(settings);
    collectDefaultMetrics({ register: this.metrics });
  }

  smtpUrl(): string | undefined {
    return this.settings.smtpUrl ?? this.mailbox?.smtpUrl;
  }

  /** Returns the options that all subgraphs have, with the database login of this one. */
  subgraphOptions(subgraph: Subgraph) {
    const { production, rateLimitsOff, limits, clockOffsetSeconds } = this.settings;
    const { logger } = this;
    return { ...this.databases.of(subgraph), logger, production, rateLimitsOff, limits, clockOffsetSeconds };
  }

  async addSubgraph(name: Subgraph, subgraph: RunningSubgraph, routes?: (app: FastifyInstance) => void): Promise<void> {
    this.started.addSubgraph(subgraph);
    await this.wiring.addSubgraph(name, subgraph, routes);
  }

  addServer(name: string, server: ListeningServer): void {
    this.urls[name] = server.url;
    this.started.addServer(server);
  }
}
