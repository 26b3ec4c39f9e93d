import { randomBytes } from 'node:crypto';
import type { Environment } from '../../process/settings/environment';
import { runOperatorCommand } from './operator-command';

/** The subgraphs by the prefix of their variables. */
const SUBGRAPHS = ['IDENTITY', 'ACCESS', 'GRID_MODELS', 'TARIFFS'] as const;

/** Returns URLs with a new login and password for each service; the logins are deleted with the database. */
export function newServiceLogins(databaseUrl: string, suffix = 'own'): Record<string, string> {
  const database = new URL(databaseUrl).pathname.slice(1);
  return Object.fromEntries(
    SUBGRAPHS.map((subgraph) => {
      const url = new URL(databaseUrl);
      url.username = `${subgraph.toLowerCase()}_${database}_${suffix}`;
      url.password = randomBytes(18).toString('base64url');
      return [`${subgraph}_DATABASE_URL`, url.href];
    }),
  );
}

/** Runs the migration job with the login of the owner, for a clock that can move. */
export function runMigrationJob(ownerUrl: string, logins: Environment) {
  const environment = { DATABASE_URL: ownerUrl, CLOCK_CAN_MOVE: 'true', ...logins };
  return runOperatorCommand('commands/migrate', [], environment).ended;
}
