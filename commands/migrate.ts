import 'reflect-metadata';
import { Client } from 'pg';
import pino from 'pino';
import { DATABASE_URL_VARIABLES, passwordOf, userOf } from '../process/settings/database-settings';
import { SUBGRAPHS } from '../process/settings/keys';
import { type MigrationSettings, readMigrationSettings } from '../process/settings/migration-settings';
import { exitWithFailure, unexpected, usageError } from './command-line';
import { accessTables } from '../subgraphs/access/tables.sql';
import { gridModelTables } from '../subgraphs/grid-models/tables.sql';
import { identityTables } from '../subgraphs/identity/tables.sql';
import { ConnectionBudget } from '../subgraphs/server/database/connection-budget';
import type { DatabaseAddress } from '../subgraphs/server/database/database-login';
import { migrate } from '../subgraphs/server/database/migrate';
import { tariffTables } from '../subgraphs/tariffs/tables.sql';

const SCHEMAS = {
  identity: { schema: 'identity', tables: identityTables },
  access: { schema: 'access', tables: accessTables },
  'grid-models': { schema: 'grid_models', tables: gridModelTables },
  tariffs: { schema: 'tariffs', tables: tariffTables },
} as const;

/**
 * The migration job: brings the tables of all subgraphs up to date with the login of the owner, and creates the login of
 * each service or replaces its password. May be repeated, also while the register serves.
 */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  if (words.length > 0) throw usageError(unexpected(words, []), 'usage: npm run migrate');
  const settings = readMigrationSettings(process.env);
  const logger = pino({ level: 'warn' }, process.stderr);
  for (const warning of settings.warnings) logger.warn(warning);
  await rejectSharedLogins(settings);
  for (const subgraph of SUBGRAPHS) {
    const address = addressOf(subgraph, settings);
    await migrate(address, SCHEMAS[subgraph].tables, settings.movableClock, {}, logger);
    console.log(`${subgraph}: the tables are up to date; its login is ${address.role}`);
  }
}

/** Returns the owner's address of a subgraph, with the login that its service will use. */
function addressOf(subgraph: keyof typeof SCHEMAS, { ownerUrl, serviceUrls }: MigrationSettings): DatabaseAddress {
  const url = serviceUrls[subgraph];
  const login = { role: userOf(url) ?? '', password: passwordOf(url) };
  return {
    ...login,
    url: ownerUrl,
    schema: SCHEMAS[subgraph].schema,
    login: 'derived',
    connections: new ConnectionBudget(),
  };
}

/** Throws if a login already has rights on the schema of another service, such as after two names were exchanged. */
async function rejectSharedLogins(settings: MigrationSettings): Promise<void> {
  const session = new Client({ connectionString: settings.ownerUrl, connectionTimeoutMillis: 10_000 });
  session.on('error', () => undefined); // fails the running or the next statement
  await session.connect();
  try {
    for (const subgraph of SUBGRAPHS) {
      const { role, schema } = addressOf(subgraph, settings);
      const others = Object.values(SCHEMAS).flatMap((each) => (each.schema === schema ? [] : [each.schema]));
      const { rows } = await session.query<{ nspname: string }>(USABLE, [role, others]);
      if (rows[0] !== undefined)
        throw new Error(`${DATABASE_URL_VARIABLES[subgraph]}: its user has rights on the schema ${rows[0].nspname}`);
    }
  } finally {
    await session.end();
  }
}

/** Selects schemas of a list that a role may use, if the role exists. */
const USABLE = `
  select nspname from pg_namespace join pg_roles on rolname = $1
  where nspname = any($2) and has_schema_privilege(pg_roles.oid, pg_namespace.oid, 'usage')`;

main().catch(exitWithFailure);
