import type { EnvironmentReader } from './environment';
import { DATABASE_URL_VARIABLES } from './database-settings';
import { KEY_VARIABLES, type Keys, SERVICES, SERVICE_KEY_VARIABLES, SUBGRAPHS } from './keys';
import { SERVICE_DEPENDENCIES, servicesCalledFromOutside, servicesThatCallOutside } from '../service-dependencies';
import { PUBLIC_KEYS_VARIABLE } from './service-keys';
import type { Settings } from './settings';

/**
 * Returns the problems that forbid a start in production: missing keys, database or addresses of the services of this
 * process, and settings that are for development only.
 */
export function productionProblems(settings: Settings, reader: EnvironmentReader, isCommand: boolean): string[] {
  const { services, keys, rateLimitsOff, clockOffsetSeconds } = settings;
  const problems = databaseProblems(settings, isCommand);
  for (const [key, { variable, services: users }] of Object.entries(KEY_VARIABLES)) {
    const needed = users.some((service) => services.has(service));
    if (needed && keys[key as keyof Keys] === undefined)
      problems.push(`${variable}: missing (npm run admin -- create-keys prints a set)`);
  }
  if (!isCommand) problems.push(...linkProblems(settings, reader));
  problems.push(...publicUrlProblems(settings, reader), ...serviceUrlProblems(settings, reader));
  problems.push(...mailProblems(settings, reader));
  if (reader.text('MPXN_PROFILE') === undefined)
    problems.push(
      'MPXN_PROFILE: missing; spec accepts the meter point numbers of the specification, gb also 13-digit MPANs',
    );
  if (settings.webhookAllowLoopback)
    problems.push('WEBHOOK_ALLOW_LOOPBACK: must not be true; delivery to this machine is for development only');
  if (rateLimitsOff) problems.push('RATE_LIMITS: must not be off; that is for tests and benches only');
  if (clockOffsetSeconds !== undefined)
    problems.push('CLOCK_CAN_MOVE: must not be true, nor CLOCK_OFFSET_SECONDS set; the clock is fixed in production');
  return problems;
}

/**
 * Requires a login of its own for each subgraph. The owner's login stays with the migration job and other commands, which
 * need a database.
 */
function databaseProblems({ services, databaseUrl, serviceDatabaseUrls }: Settings, isCommand: boolean): string[] {
  const withoutLogin = SUBGRAPHS.filter((name) => services.has(name) && serviceDatabaseUrls[name] === undefined);
  if (isCommand)
    return withoutLogin.length > 0 && databaseUrl === undefined
      ? ['DATABASE_URL: missing; production needs an existing PostgreSQL']
      : [];
  const problems = withoutLogin.map(
    (name) =>
      `${DATABASE_URL_VARIABLES[name]}: missing; the URL with the login of ${name} (npm run migrate creates it)`,
  );
  if (databaseUrl !== undefined)
    problems.push(
      'DATABASE_URL: must not be set; no service may have the login of the owner, which npm run migrate uses',
    );
  return problems;
}

/** Requires keys of the services that call, or are called by, services of other processes. */
function linkProblems({ services }: Settings, reader: EnvironmentReader): string[] {
  const linked = new Set([...servicesCalledFromOutside(services), ...servicesThatCallOutside(services)]);
  const variables = [...linked].map((service) => SERVICE_KEY_VARIABLES[service]);
  if (linked.size > 0) variables.push(PUBLIC_KEYS_VARIABLE);
  return variables
    .filter((variable) => reader.text(variable) === undefined)
    .map((variable) => `${variable}: missing (npm run admin -- create-keys prints a set)`);
}

/** Requires a mail server and a public sender address for links to customers and alerts to organisations. */
function mailProblems({ services, smtpUrl }: Settings, reader: EnvironmentReader): string[] {
  if (!services.has('identity') && !services.has('access')) return [];
  const problems: string[] = [];
  if (smtpUrl === undefined)
    problems.push('SMTP_URL: missing; the mail server for links to customers and alerts to organisations');
  const hasSender = ['MAIL_FROM', 'IDENTITY_REDIRECT_URL', 'PORTAL_URL'].some(
    (name) => reader.text(name) !== undefined,
  );
  if (!hasSender && !services.has('identity'))
    problems.push('MAIL_FROM: missing; the sender address of mails (default: no-reply@ the host of PORTAL_URL)');
  return problems;
}

/** Public URLs and the services that need them. Production has no defaults, which would name this machine. */
const PUBLIC_URLS = [
  { variable: 'BASE_URL', setting: 'baseUrl', users: SERVICES, what: 'the public URL of Interface A' },
  { variable: 'PORTAL_URL', setting: 'portalUrl', users: ['identity', 'portal'], what: 'the public URL of the portal' },
  {
    variable: 'CONSOLE_URL',
    setting: 'consoleUrl',
    users: ['console'],
    what: 'the public URL of the console',
  },
] as const;
const THIS_MACHINE = /^(localhost|.*\.localhost|127\..*|0\.0\.0\.0|\[::1?\])$/;

/** Public URLs that default to a path or the origin of one of {@link PUBLIC_URLS}, or to none. */
const OPTIONAL_URLS = [
  { variable: 'IDENTITY_REDIRECT_URL', setting: 'identityRedirectUrl' },
  { variable: 'LEGACY_BASE_URL', setting: 'legacyBaseUrl' },
  { variable: 'REGISTER_URL', setting: 'registerUrl' },
  { variable: 'SUPPLIER_URL', setting: 'supplierUrl' },
  { variable: 'SUPPORT_URL', setting: 'supportUrl' },
  { variable: 'PRIVACY_URL', setting: 'privacyUrl' },
] as const;

function publicUrlProblems(settings: Settings, reader: EnvironmentReader): string[] {
  const problems: string[] = [];
  for (const { variable, setting, users, what } of PUBLIC_URLS) {
    if (!users.some((user) => settings.services.has(user))) continue;
    if (reader.text(variable) === undefined) problems.push(`${variable}: missing; ${what}`);
    else problems.push(...notPublic(variable, settings[setting]));
  }
  for (const { variable, setting } of OPTIONAL_URLS)
    if (reader.text(variable) !== undefined) problems.push(...notPublic(variable, settings[setting] ?? ''));
  return problems;
}

function notPublic(variable: string, url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { protocol, hostname } = new URL(url);
  const problems: string[] = [];
  if (protocol !== 'https:') problems.push(`${variable}: must be an https URL`);
  if (THIS_MACHINE.test(hostname)) problems.push(`${variable}: must be a public address, not this machine`);
  return problems;
}

const URL_VARIABLES = {
  gateway: 'GATEWAY_LINK_URL',
  access: 'ACCESS_URL',
  identity: 'IDENTITY_URL',
  'grid-models': 'GRID_MODELS_URL',
  tariffs: 'TARIFFS_URL',
} as const;

function serviceUrlProblems({ services }: Settings, reader: EnvironmentReader): string[] {
  const problems: string[] = [];
  for (const service of Object.keys(URL_VARIABLES) as (keyof typeof URL_VARIABLES)[]) {
    const variable = URL_VARIABLES[service];
    const users = [...services].filter((user) => SERVICE_DEPENDENCIES[user]?.includes(service));
    if (users.length > 0 && !services.has(service) && reader.text(variable) === undefined)
      problems.push(`${variable}: missing; ${service} is called by ${users.join(' and ')}`);
  }
  return problems;
}
