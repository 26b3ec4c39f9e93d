import type { EnvironmentReader } from './environment';
import { SUBGRAPHS, type Subgraph } from './keys';
import type { Settings } from './settings';

/** The variable of each subgraph's own login: the URL of the database with the user and password of the subgraph. */
export const DATABASE_URL_VARIABLES: Readonly<Record<Subgraph, string>> = {
  identity: 'IDENTITY_DATABASE_URL',
  access: 'ACCESS_DATABASE_URL',
  'grid-models': 'GRID_MODELS_DATABASE_URL',
  tariffs: 'TARIFFS_DATABASE_URL',
};

/** Bounds of the sessions of a pool. With one session, a transaction that reads beside itself would wait for itself. */
const POOL_SIZE = { min: 2, max: 100, byDefault: 10 };

/** Reads how the subgraphs connect to their database. */
export function readDatabaseSettings(
  reader: EnvironmentReader,
): Pick<Settings, 'databaseUrl' | 'serviceDatabaseUrls' | 'databasePool'> {
  const databasePool = reader.integer('DATABASE_POOL') ?? POOL_SIZE.byDefault;
  if (databasePool < POOL_SIZE.min || databasePool > POOL_SIZE.max)
    reader.problems.push(`DATABASE_POOL: must be ${POOL_SIZE.min} to ${POOL_SIZE.max} connections`);
  return { databaseUrl: reader.text('DATABASE_URL'), serviceDatabaseUrls: serviceUrlsOf(reader), databasePool };
}

/** Logins that the migration job can create; it grants them rights by name. */
const USER = /^[a-z_][a-z0-9_]{0,62}$/;

/** Reads the URLs with logins of subgraphs. They contain passwords, so no message quotes them. */
function serviceUrlsOf(reader: EnvironmentReader): Settings['serviceDatabaseUrls'] {
  const urls: Partial<Record<Subgraph, string>> = {};
  const variables = new Map<string, string>();
  for (const subgraph of SUBGRAPHS) {
    const variable = DATABASE_URL_VARIABLES[subgraph];
    const text = reader.text(variable);
    if (text === undefined) continue;
    const user = userOf(text);
    if (isPostgresUrl(text) && !hasDecodableLogin(text))
      reader.problems.push(`${variable}: write % in its user and password as %25`);
    else if (user === undefined || !USER.test(user))
      reader.problems.push(
        `${variable}: must be a postgres URL whose user has lower-case letters, digits and underscores only`,
      );
    else if (variables.has(user))
      reader.problems.push(`${variable}: must not have the same user as ${variables.get(user)}`);
    else variables.set(user, variable);
    urls[subgraph] = text;
  }
  return urls;
}

/** Returns whether a text is the URL of a PostgreSQL database. */
export function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:\/\//.test(text);
}

/** Returns whether each "%" of a part of a URL encodes a character. */
export function isDecodable(part: string): boolean {
  try {
    return decodeURIComponent(part) !== undefined;
  } catch {
    return false;
  }
}

/** Returns whether user and password of a PostgreSQL URL can be decoded. pg accepts others, but changes some of them. */
function hasDecodableLogin(text: string): boolean {
  const { username, password } = new URL(text);
  return isDecodable(username) && isDecodable(password);
}

/** Returns the user of a PostgreSQL URL; undefined if it has none, or is no such URL. */
export function userOf(text: string): string | undefined {
  if (!isPostgresUrl(text)) return undefined;
  const url = new URL(text);
  const user = isDecodable(url.username) ? decodeURIComponent(url.username) : url.username;
  return url.searchParams.get('user') ?? (user === '' ? undefined : user);
}

/** Returns the database of a PostgreSQL URL as pg reads it: without a path that of `PGDATABASE`, otherwise named as the user. */
export function databaseOf(text: string, byDefault: string | undefined): string | undefined {
  const path = URL.canParse(text) ? new URL(text).pathname.slice(1) : '';
  return path === '' ? (byDefault ?? userOf(text)) : path;
}

/** Returns host and port of a PostgreSQL URL. */
export function addressOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { hostname, port, searchParams } = new URL(text);
  return `${searchParams.get('host') ?? hostname}:${searchParams.get('port') ?? (port || '5432')}`;
}

/** Returns the password of a PostgreSQL URL, the empty text if it has none. pg would use `PGPASSWORD`, which may be that of another user. */
export function passwordOf(text: string): string {
  const url = new URL(text);
  return url.searchParams.get('password') ?? decodeURIComponent(url.password);
}
