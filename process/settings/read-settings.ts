import { type Environment, EnvironmentReader } from './environment';
import { readDatabaseSettings } from './database-settings';
import { DEFAULT_PORTS, PORT_VARIABLES, equalPorts } from './ports';
import { productionProblems } from './production-rules';
import { LICENCE_AREAS } from '../../subgraphs/grid-models/projects/licence-areas';
import type { Limits } from '../../subgraphs/server/callers/rate-limits';
import { readKeys, readServiceKeys } from './service-keys';
import { resolve } from 'node:path';
import { Settings } from './settings';

/** The licence area of the demo projects: Eastern, the first of the list. */
const SANDBOX_LICENCE_AREA = LICENCE_AREAS[0]?.code;

/** Lists all problems of the environment at once. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`some settings are missing or wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** Returns whether this is production. Without NODE_ENV, and with the other names that tools set, it is a sandbox. */
export function isProduction(reader: EnvironmentReader): boolean {
  return reader.oneOf('NODE_ENV', ['production', 'development', 'test'], 'development') === 'production';
}

/**
 * Reads the settings from the environment. Throws a SettingsError with all problems.
 *
 * @param isCommand true for a command, which serves no other process and needs no key of a link
 */
export function readSettings(environment: Environment, isCommand = false): Settings {
  const reader = new EnvironmentReader(environment);
  const production = isProduction(reader);
  const ports = portsOf(reader);
  const portalUrl = reader.url('PORTAL_URL', `http://localhost:${ports.portal}`);
  const baseUrl = reader.url('BASE_URL', `http://localhost:${ports['rest-adapter']}/v1`);
  const gatewayLinkPort = reader.port('GATEWAY_LINK_PORT', DEFAULT_PORTS.GATEWAY_LINK_PORT);
  const serviceUrls = serviceUrlsOf(reader, ports, gatewayLinkPort);
  const services = reader.services();
  const settings: Settings = {
    production,
    services,
    host: reader.text('HOST') ?? 'localhost',
    ports,
    gatewayLinkPort,
    serviceUrls,
    ...readDatabaseSettings(reader),
    dataDir: resolve(reader.text('DATA_DIR') ?? '.data'),
    baseUrl,
    ...otherInterfaceUrls(reader, baseUrl),
    legacySunset: reader.day('LEGACY_SUNSET', '2027-11-20'),
    portalUrl,
    ...reader.operatorPages(),
    consoleUrl: reader.url('CONSOLE_URL', `http://localhost:${ports.console}`),
    ...identitySettings(reader, portalUrl),
    webhookAllowLoopback: reader.oneOf('WEBHOOK_ALLOW_LOOPBACK', ['true', 'false'], 'false') === 'true',
    discoveredMaxAgeDays: reader.days('DISCOVERED_MAX_AGE_DAYS'),
    ltdsDefaultArea: reader.licenceArea('LTDS_DEFAULT_AREA') ?? (production ? undefined : SANDBOX_LICENCE_AREA),
    gridProfiles: reader.gridProfiles('GRID_PROFILES'),
    rateLimitsOff: reader.oneOf('RATE_LIMITS', ['on', 'off'], 'on') === 'off',
    limits: limitsOf(reader),
    trustProxy: reader.trustProxy('TRUST_PROXY'),
    clockOffsetSeconds: reader.clockOffsetSeconds(),
    logLevel: reader.oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    exportTraces: reader.text('OTEL_EXPORTER_OTLP_ENDPOINT') !== undefined,
    keys: readKeys(reader),
    serviceKeys: readServiceKeys(reader, services),
  };
  reader.oneOf('MPXN_PROFILE', ['spec', 'gb'], 'spec');
  const problems = [
    ...reader.problems,
    ...(baseUrl.endsWith('/v1') ? [] : ['BASE_URL: must end in /v1']),
    ...pageProblems(settings),
    ...equalPorts(services, ports),
    ...(production ? productionProblems(settings, reader, isCommand) : []),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
  return settings;
}

/** Settings of the commands backup and restore. A backup needs no key. */
export interface BackupSettings extends Pick<Settings, 'databaseUrl' | 'dataDir'> {
  /** Days after which backups of data keys are deleted. */
  readonly dataKeyRetentionDays: number;
  /** False in production, where the folder of backups is that of a mounted disk. */
  readonly mayCreateFolder: boolean;
}

/** Reads the settings of a backup. Throws a SettingsError with all problems. */
export function readBackupSettings(environment: Environment): BackupSettings {
  const reader = new EnvironmentReader(environment);
  const databaseUrl = reader.text('DATABASE_URL');
  const production = isProduction(reader);
  if (production && databaseUrl === undefined)
    reader.problems.push('DATABASE_URL: missing; production needs an existing PostgreSQL');
  const dataKeyRetentionDays = reader.integer('DATA_KEYS_KEPT_DAYS') ?? 7;
  if (dataKeyRetentionDays < 0) reader.problems.push('DATA_KEYS_KEPT_DAYS: must be 0 or more');
  if (reader.problems.length > 0) throw new SettingsError(reader.problems);
  return {
    databaseUrl,
    dataDir: resolve(reader.text('DATA_DIR') ?? '.data'),
    dataKeyRetentionDays,
    mayCreateFolder: !production,
  };
}

function portsOf(reader: EnvironmentReader): Settings['ports'] {
  const ports = Object.entries(PORT_VARIABLES).map(([service, variable]) => [
    service,
    reader.port(variable, DEFAULT_PORTS[variable]),
  ]);
  return Object.fromEntries(ports) as Settings['ports'];
}

/** Base URL of each service that other processes call, over mutual TLS. */
function serviceUrlsOf(
  reader: EnvironmentReader,
  ports: Settings['ports'],
  gatewayLinkPort: number,
): Settings['serviceUrls'] {
  return {
    gateway: reader.serviceUrl('GATEWAY_LINK_URL', gatewayLinkPort),
    access: reader.serviceUrl('ACCESS_URL', ports.access),
    identity: reader.serviceUrl('IDENTITY_URL', ports.identity),
    'grid-models': reader.serviceUrl('GRID_MODELS_URL', ports['grid-models']),
    tariffs: reader.serviceUrl('TARIFFS_URL', ports.tariffs),
  };
}

/**
 * Public URLs of Interface B and of both parts of Interface D; default: the origin of Interface A (decisions D.1).
 */
function otherInterfaceUrls(reader: EnvironmentReader, baseUrl: string) {
  const origin = URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
  return {
    legacyBaseUrl: reader.url('LEGACY_BASE_URL', origin),
    registerUrl: reader.url('REGISTER_URL', origin),
    supplierUrl: reader.url('SUPPLIER_URL', origin),
  };
}

/** Settings of re-identification and of mails. */
function identitySettings(reader: EnvironmentReader, portalUrl: string) {
  const identityRedirectUrl = reader.url('IDENTITY_REDIRECT_URL', `${portalUrl}/identify`);
  const host = URL.canParse(identityRedirectUrl) ? new URL(identityRedirectUrl).hostname : 'localhost';
  return {
    identityRedirectUrl,
    relyingPartyId: reader.text('WEBAUTHN_RP_ID') ?? host,
    smtpUrl: reader.mailServer('SMTP_URL'),
    mailFrom: reader.mailAddress('MAIL_FROM', `no-reply@${host}`),
    sandboxPorts: {
      mailbox: reader.port('MAILBOX_PORT', DEFAULT_PORTS.MAILBOX_PORT),
      oidc: reader.port('OIDC_PORT', DEFAULT_PORTS.OIDC_PORT),
    },
  };
}

/** Reads the rate limits; the defaults are those of decisions A/B, 2. */
function limitsOf(reader: EnvironmentReader): Limits {
  return {
    requests: reader.limit('LIMIT_REQUESTS', 600),
    failedSignIns: reader.limit('LIMIT_FAILED_SIGN_INS', 10),
    verifyMisses: reader.limit('LIMIT_VERIFY_MISSES', 20),
    existsMinute: reader.limit('LIMIT_EXISTS_MINUTE', 60),
    existsDay: reader.limit('LIMIT_EXISTS_DAY', 2_000),
    signIns: reader.limit('LIMIT_SIGN_INS', 10),
    mails: reader.limit('LIMIT_MAILS', 3),
    gridFiles: reader.limit('LIMIT_GRID_FILES', 120),
    publicLookups: reader.limit('LIMIT_PUBLIC_LOOKUPS', 120),
    contestAlert: reader.limit('CONTEST_ALERT_PER_DAY', 20),
  };
}

/**
 * Requires portal and console at the root path of their URLs, and a relying party id that is a domain of the portal and of the
 * re-identification pages or above: browsers offer a passkey only on its domain and its subdomains (WebAuthn Level 3,
 * section 4, Relying Party Identifier).
 */
function pageProblems({ relyingPartyId, portalUrl, identityRedirectUrl, consoleUrl }: Settings): string[] {
  const urls = [portalUrl, identityRedirectUrl].filter((url) => URL.canParse(url)).map((url) => new URL(url));
  const isWithin = ({ hostname }: URL) => `.${hostname}`.endsWith(`.${relyingPartyId.toLowerCase()}`);
  const problems: string[] = [];
  for (const [variable, url] of Object.entries({ PORTAL_URL: portalUrl, CONSOLE_URL: consoleUrl }))
    if (URL.canParse(url) && new URL(url).pathname !== '/') problems.push(`${variable}: must have no path`);
  if (!urls.every(isWithin))
    problems.push(
      'WEBAUTHN_RP_ID: must be the domain of PORTAL_URL and of IDENTITY_REDIRECT_URL, or a domain above both',
    );
  return problems;
}
