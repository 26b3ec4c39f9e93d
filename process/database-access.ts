import type { Logger } from 'pino';
import { ConnectionBudget } from '../subgraphs/server/database/connection-budget';
import type { Login } from '../subgraphs/server/database/database-login';
import { SUBGRAPHS, type Subgraph } from './settings/keys';
import type { Settings } from './settings/settings';

/** Which login each subgraph of this process uses, and how many connections they may open together. */
export class DatabaseAccess {
  private readonly connections: ConnectionBudget;
  private ownerUrl = '';

  constructor(private readonly settings: Pick<Settings, 'services' | 'databasePool' | 'serviceDatabaseUrls'>) {
    this.connections = new ConnectionBudget(settings.databasePool);
  }

  /** True if a subgraph of this process has no login of its own: it creates one with the owner's. */
  get needsOwner(): boolean {
    const { services, serviceDatabaseUrls } = this.settings;
    return SUBGRAPHS.some((subgraph) => services.has(subgraph) && serviceDatabaseUrls[subgraph] === undefined);
  }

  /** Sets the URL with the login of the owner, for subgraphs without a login of their own. */
  setOwner(url: string): void {
    this.ownerUrl = url;
  }

  /** Returns how a subgraph connects: with its own login, or with one that it derives from the owner's URL. */
  of(subgraph: Subgraph) {
    const own = this.settings.serviceDatabaseUrls[subgraph];
    const login: Login = own === undefined ? 'derived' : 'service';
    return { databaseUrl: own ?? this.ownerUrl, login, connections: this.connections };
  }

  /** Logs the maximum of connections of this process, after all subgraphs have opened theirs. */
  report(logger: Logger): void {
    const { max, poolSize } = this.connections;
    if (max > 0) logger.info({ connections: max, pool: poolSize }, 'maximum of database connections');
  }
}

/**
 * Returns the login of a command: that of the subgraph if the environment has it; otherwise in production that of the
 * owner, since only the migration job creates logins there, and in a sandbox the one that the register derives.
 */
export function commandLogin(
  { production, serviceDatabaseUrls }: Pick<Settings, 'production' | 'serviceDatabaseUrls'>,
  subgraph: Subgraph,
): Login {
  if (serviceDatabaseUrls[subgraph] !== undefined) return 'service';
  return production ? 'owner' : 'derived';
}
