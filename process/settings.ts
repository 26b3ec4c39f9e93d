import { resolve } from 'node:path';
import { type Environment, EnvironmentReader, type TrustProxy } from './environment';
import type { Keys } from './keys';
import { faultsInProduction } from './production-faults';
import { LICENCE_AREAS } from '../subgraphs/grid-models/domain/licence-areas';
import type { ServiceName } from '../subgraphs/server/caller';
import type { Limits } from '../subgraphs/server/rate-limits';

/** How this process runs: read once from the environment, handed on by main.ts. */
export interface Settings {
  readonly production: boolean;
  /** Which services this process runs; the others are asked over HTTP. */
  readonly services: ReadonlySet<ServiceName>;
  readonly host: string;
  readonly ports: Readonly<Record<ServiceName, number>>;
  /** Where services that run elsewhere answer. */
  readonly serviceUrls: Readonly<Record<ServiceName, string>>;
  /** An existing PostgreSQL 15 to 18; undefined for the embedded one. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  /** Public address of Interface A, with the version segment. */
  readonly baseUrl: string;
  /** Public address of Interface B (`{legacy_base_url}`). */
  readonly legacyBaseUrl: string;
  /** Until when Interface B is served: what its answers tell. */
  readonly legacySunset: Date;
  /** Public address of the lookups of Interface D (`{register_url}`), without the version segment. */
  readonly registerUrl: string;
  /** Public address of the supplier endpoints of Interface D (`{supplier_url}`), without the version segment. */
  readonly supplierUrl: string;
  readonly gatewayUrl: string;
  /** Public address of the customer portal. */
  readonly portalUrl: string;
  /** Public address of the ceremony pages, which the portal serves. */
  readonly identityRedirectUrl: string;
  /** Domain that passkeys belong to (WebAuthn relying party id). */
  readonly relyingPartyId: string;
  /** The mail server; undefined outside production for the one of the sandbox. */
  readonly smtpUrl: string | undefined;
  /** Address that the register's mails are from. */
  readonly mailFrom: string;
  /** Public address of the console of the back office. */
  readonly consoleUrl: string;
  /** Whether webhooks may be delivered to this machine, at any port and without TLS. Outside production only. */
  readonly webhookAllowLoopback: boolean;
  /** Days after which an access that the operator discovered has expired, counted from when it was last seen; undefined for never. */
  readonly discoveredMaxAgeDays: number | undefined;
  /** Ports of the sandbox's mailbox and of its supplier, outside production. */
  readonly sandboxPorts: { readonly mailbox: number; readonly oidc: number };
  /** Licence area of files of Interface C when neither host nor query names one: a code of 3-decisions-c-d.md, C.4. */
  readonly ltdsDefaultArea: string | undefined;
  readonly rateLimitsOff: boolean;
  readonly limits: Limits;
  readonly trustProxy: TrustProxy;
  /** Seconds by which the register's clock is moved at start, and then may be; undefined where it stays right. Outside production only. */
  readonly clockOffsetSeconds: number | undefined;
  readonly logLevel: string;
  /** Whether OTEL_EXPORTER_OTLP_ENDPOINT names a collector of traces. */
  readonly exportTraces: boolean;
  /** Keys given by the environment; main.ts adds those of the data folder outside production. */
  readonly keys: Partial<Keys>;
}

/** Ports of the services, by their variables. */
export const DEFAULT_PORTS = {
  GATEWAY_PORT: 4000,
  REST_PORT: 4001,
  PORTAL_PORT: 4002,
  CONSOLE_PORT: 4003,
  MAILBOX_PORT: 4004,
  OIDC_PORT: 4005,
  ACCESS_PORT: 4011,
  IDENTITY_PORT: 4012,
  GRID_MODELS_PORT: 4013,
  TARIFFS_PORT: 4014,
} as const;

/** The demo projects lie in the first area, Eastern. */
const AREA_OF_SANDBOX = LICENCE_AREAS[0]?.code;

/** Thrown with every fault of the environment at once. */
export class SettingsError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`the register cannot start:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** Reads the settings; throws all faults together. */
export function readSettings(environment: Environment): Settings {
  const reader = new EnvironmentReader(environment);
  const production = environment['NODE_ENV'] === 'production';
  const ports = portsOf(reader);
  const portalUrl = reader.url('PORTAL_URL', `http://localhost:${ports.portal}`);
  const consoleUrl = reader.url('CONSOLE_URL', `http://localhost:${ports.console}`);
  const baseUrl = reader.url('BASE_URL', `http://localhost:${ports['rest-adapter']}/v1`);
  const serviceUrls = serviceUrlsOf(reader, ports, { portal: portalUrl, console: consoleUrl });
  const clockCanMove = reader.oneOf('CLOCK_CAN_MOVE', ['true', 'false'], 'false') === 'true';
  const settings: Settings = {
    production,
    services: reader.services(),
    host: reader.text('HOST') ?? 'localhost',
    ports,
    serviceUrls,
    databaseUrl: reader.text('DATABASE_URL'),
    dataDir: resolve(reader.text('DATA_DIR') ?? '.data'),
    baseUrl,
    ...addressesBeside(reader, baseUrl),
    legacySunset: reader.day('LEGACY_SUNSET', '2027-11-20'),
    gatewayUrl: serviceUrls.gateway,
    portalUrl,
    consoleUrl,
    ...identityAddresses(reader, portalUrl),
    webhookAllowLoopback: reader.oneOf('WEBHOOK_ALLOW_LOOPBACK', ['true', 'false'], 'false') === 'true',
    discoveredMaxAgeDays: reader.days('DISCOVERED_MAX_AGE_DAYS'),
    ltdsDefaultArea: reader.licenceArea('LTDS_DEFAULT_AREA') ?? (production ? undefined : AREA_OF_SANDBOX),
    rateLimitsOff: reader.oneOf('RATE_LIMITS', ['on', 'off'], 'on') === 'off',
    limits: limitsOf(reader),
    trustProxy: reader.trustProxy('TRUST_PROXY'),
    clockOffsetSeconds: reader.integer('CLOCK_OFFSET_SECONDS') ?? (clockCanMove ? 0 : undefined),
    logLevel: reader.oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    exportTraces: reader.text('OTEL_EXPORTER_OTLP_ENDPOINT') !== undefined,
    keys: reader.keys(),
  };
  reader.oneOf('MPXN_PROFILE', ['spec', 'gb'], 'spec');
  const faults = [
    ...reader.faults,
    ...portalFaults(settings),
    ...(production ? faultsInProduction(settings, reader) : []),
  ];
  if (faults.length > 0) throw new SettingsError(faults);
  return settings;
}

/** What the REST adapter is told of the settings: no key, no database. */
export function restSettings({ ports, ...settings }: Settings) {
  const { host, production, trustProxy, ltdsDefaultArea, baseUrl, registerUrl, supplierUrl } = settings;
  const { legacyBaseUrl, legacySunset } = settings;
  const addresses = { baseUrl, legacyBaseUrl, registerUrl, supplierUrl };
  return { port: ports['rest-adapter'], host, production, trustProxy, ltdsDefaultArea, legacySunset, ...addresses };
}

/** What a backup must know: it needs no key. */
export interface BackupSettings extends Pick<Settings, 'databaseUrl' | 'dataDir'> {
  /** Days for which backups of data keys are kept. */
  readonly dataKeysKeptDays: number;
}

/** Reads the settings of a backup; throws all faults together. */
export function readBackupSettings(environment: Environment): BackupSettings {
  const reader = new EnvironmentReader(environment);
  const databaseUrl = reader.text('DATABASE_URL');
  if (environment['NODE_ENV'] === 'production' && databaseUrl === undefined)
    reader.faults.push('DATABASE_URL: missing; production uses a PostgreSQL of its own');
  const dataKeysKeptDays = reader.integer('DATA_KEYS_KEPT_DAYS') ?? 7;
  if (dataKeysKeptDays < 0) reader.faults.push('DATA_KEYS_KEPT_DAYS: less than 0');
  if (reader.faults.length > 0) throw new SettingsError(reader.faults);
  return {
    databaseUrl,
    dataDir: resolve(reader.text('DATA_DIR') ?? '.data'),
    dataKeysKeptDays,
  };
}

function portsOf(reader: EnvironmentReader): Settings['ports'] {
  return {
    gateway: reader.port('GATEWAY_PORT', DEFAULT_PORTS.GATEWAY_PORT),
    'rest-adapter': reader.port('REST_PORT', DEFAULT_PORTS.REST_PORT),
    portal: reader.port('PORTAL_PORT', DEFAULT_PORTS.PORTAL_PORT),
    console: reader.port('CONSOLE_PORT', DEFAULT_PORTS.CONSOLE_PORT),
    access: reader.port('ACCESS_PORT', DEFAULT_PORTS.ACCESS_PORT),
    identity: reader.port('IDENTITY_PORT', DEFAULT_PORTS.IDENTITY_PORT),
    'grid-models': reader.port('GRID_MODELS_PORT', DEFAULT_PORTS.GRID_MODELS_PORT),
    tariffs: reader.port('TARIFFS_PORT', DEFAULT_PORTS.TARIFFS_PORT),
  };
}

/** Where each service answers the others; the portal and the console are asked by people only. */
function serviceUrlsOf(
  reader: EnvironmentReader,
  ports: Settings['ports'],
  pages: Pick<Settings['serviceUrls'], 'portal' | 'console'>,
): Settings['serviceUrls'] {
  return {
    ...pages,
    gateway: reader.url('GATEWAY_URL', `http://localhost:${ports.gateway}`),
    'rest-adapter': reader.url('REST_URL', `http://localhost:${ports['rest-adapter']}`),
    access: reader.url('ACCESS_URL', `http://localhost:${ports.access}`),
    identity: reader.url('IDENTITY_URL', `http://localhost:${ports.identity}`),
    'grid-models': reader.url('GRID_MODELS_URL', `http://localhost:${ports['grid-models']}`),
    tariffs: reader.url('TARIFFS_URL', `http://localhost:${ports.tariffs}`),
  };
}

/** Where Interface B and both parts of Interface D stand: by default where Interface A is (3-decisions-c-d.md, D.1). */
function addressesBeside(reader: EnvironmentReader, baseUrl: string) {
  const origin = URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
  return {
    legacyBaseUrl: reader.url('LEGACY_BASE_URL', origin),
    registerUrl: reader.url('REGISTER_URL', origin),
    supplierUrl: reader.url('SUPPLIER_URL', origin),
  };
}

/** Where customers identify themselves, and how they are written to. */
function identityAddresses(reader: EnvironmentReader, portalUrl: string) {
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

/** Defaults of 2-decisions-a-b.md, section 2. */
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
 * The portal stands at the root of its address. A passkey belongs to a domain: browsers offer it on pages of that domain and of those
 * below it, and nowhere else.
 */
function portalFaults({ relyingPartyId, portalUrl, identityRedirectUrl }: Settings): string[] {
  const addresses = [portalUrl, identityRedirectUrl].filter((url) => URL.canParse(url)).map((url) => new URL(url));
  const isWithin = ({ hostname }: URL) => `.${hostname}`.endsWith(`.${relyingPartyId.toLowerCase()}`);
  const faults: string[] = [];
  if (URL.canParse(portalUrl) && new URL(portalUrl).pathname !== '/') faults.push('PORTAL_URL: has a path');
  if (!addresses.every(isWithin))
    faults.push('WEBAUTHN_RP_ID: not the domain, or one above it, of both PORTAL_URL and IDENTITY_REDIRECT_URL');
  return faults;
}
