import {
  DATABASE_URL_VARIABLES,
  addressOf,
  databaseOf,
  isDecodable,
  isPostgresUrl,
  readDatabaseSettings,
  userOf,
} from './database-settings';
import { type Environment, EnvironmentReader } from './environment';
import { SUBGRAPHS, type Subgraph } from './keys';
import { SettingsError, isProduction } from './read-settings';

/** Settings of the migration job. It needs no key of a service. */
export interface MigrationSettings {
  /** URL of the database with the login of its owner. */
  readonly ownerUrl: string;
  /** URL of the database with the login of each subgraph, which the job creates. */
  readonly serviceUrls: Readonly<Record<Subgraph, string>>;
  /** True permits moving the register's clock; never in production. */
  readonly movableClock: boolean;
  /** Settings that may be wrong: a service may connect to another server. */
  readonly warnings: readonly string[];
}

/** Reads the settings of the migration job. Throws a SettingsError with all problems. */
export function readMigrationSettings(environment: Environment): MigrationSettings {
  const reader = new EnvironmentReader(environment);
  const { databaseUrl, serviceDatabaseUrls } = readDatabaseSettings(reader);
  const movableClock = reader.clockOffsetSeconds() !== undefined;
  const ownerUrl = ownerUrlOf(databaseUrl, reader);
  const database = databaseOf(ownerUrl ?? '', reader.text('PGDATABASE'));
  const warnings: string[] = [];
  for (const subgraph of SUBGRAPHS) {
    const url = serviceDatabaseUrls[subgraph];
    const variable = DATABASE_URL_VARIABLES[subgraph];
    if (url === undefined)
      reader.problems.push(`${variable}: missing; the URL of the database with the login of ${subgraph}`);
    else if (ownerUrl === undefined) continue;
    else if (userOf(url) === userOf(ownerUrl))
      reader.problems.push(`${variable}: must not have the user of DATABASE_URL, the owner`);
    else if (databaseOf(url, reader.text('PGDATABASE')) !== database)
      reader.problems.push(
        `${variable}: its database is not that of DATABASE_URL; after a restore, change the URL of each service`,
      );
    else if (addressOf(url) !== addressOf(ownerUrl))
      warnings.push(`${variable}: its host or port is not that of DATABASE_URL; both must lead to the same server`);
  }
  if (isProduction(reader) && movableClock)
    reader.problems.push(
      'CLOCK_CAN_MOVE: must not be true, nor CLOCK_OFFSET_SECONDS set; the clock is fixed in production',
    );
  if (ownerUrl === undefined || reader.problems.length > 0) throw new SettingsError(reader.problems);
  return { ownerUrl, serviceUrls: serviceDatabaseUrls as Record<Subgraph, string>, movableClock, warnings };
}

/** Returns the URL of the owner; undefined, with a problem, if it is missing or unusable. */
function ownerUrlOf(databaseUrl: string | undefined, { problems }: EnvironmentReader): string | undefined {
  if (databaseUrl === undefined) problems.push('DATABASE_URL: missing; the URL of the database with its owner');
  else if (!isPostgresUrl(databaseUrl)) problems.push('DATABASE_URL: must be a postgres URL');
  else if (!isDecodable(new URL(databaseUrl).username)) problems.push('DATABASE_URL: write % in its user as %25');
  else return databaseUrl;
  return undefined;
}
