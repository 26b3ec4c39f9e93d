import { resolve } from 'node:path';
import { type Environment, EnvironmentReader, type TrustProxy } from './environment';
import { KEY_VARIABLES, type Keys } from './keys';
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
  readonly gatewayUrl: string;
  readonly rateLimitsOff: boolean;
  readonly limits: Limits;
  readonly trustProxy: TrustProxy;
  /** Seconds by which the register's clock is moved at start; undefined is 0. Outside production only. */
  readonly clockOffsetSeconds: number | undefined;
  readonly logLevel: string;
  /** Whether OTEL_EXPORTER_OTLP_ENDPOINT names a collector of traces. */
  readonly exportTraces: boolean;
  /** Keys given by the environment; main.ts adds those of the data folder outside production. */
  readonly keys: Partial<Keys>;
}

/** Ports of the services, by their variables. */
export const DEFAULT_PORTS = { GATEWAY_PORT: 4000, REST_PORT: 4001, ACCESS_PORT: 4011, IDENTITY_PORT: 4012 } as const;

/** Thrown with every fault of the environment at once. */
export class SettingsError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`the register cannot start:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** Which services each service asks: over HTTP, unless they run in the same process. `access` has the keys of the tokens. */
export const ASKS: Readonly<Record<ServiceName, readonly ServiceName[]>> = {
  identity: ['access'],
  access: ['identity'],
  gateway: ['access', 'identity'],
  'rest-adapter': ['gateway', 'access'],
};

/** Reads the settings; throws all faults together. */
export function readSettings(environment: Environment): Settings {
  const reader = new EnvironmentReader(environment);
  const production = environment['NODE_ENV'] === 'production';
  const ports: Settings['ports'] = {
    gateway: reader.port('GATEWAY_PORT', DEFAULT_PORTS.GATEWAY_PORT),
    'rest-adapter': reader.port('REST_PORT', DEFAULT_PORTS.REST_PORT),
    access: reader.port('ACCESS_PORT', DEFAULT_PORTS.ACCESS_PORT),
    identity: reader.port('IDENTITY_PORT', DEFAULT_PORTS.IDENTITY_PORT),
  };
  const serviceUrls = {
    gateway: reader.url('GATEWAY_URL', `http://localhost:${ports.gateway}`),
    'rest-adapter': reader.url('REST_URL', `http://localhost:${ports['rest-adapter']}`),
    access: reader.url('ACCESS_URL', `http://localhost:${ports.access}`),
    identity: reader.url('IDENTITY_URL', `http://localhost:${ports.identity}`),
  };
  const settings: Settings = {
    production,
    services: reader.services(),
    host: reader.text('HOST') ?? 'localhost',
    ports,
    serviceUrls,
    databaseUrl: reader.text('DATABASE_URL'),
    dataDir: resolve(reader.text('DATA_DIR') ?? '.data'),
    baseUrl: reader.url('BASE_URL', `http://localhost:${ports['rest-adapter']}/v1`),
    gatewayUrl: serviceUrls.gateway,
    rateLimitsOff: reader.oneOf('RATE_LIMITS', ['on', 'off'], 'on') === 'off',
    limits: limitsOf(reader),
    trustProxy: reader.trustProxy('TRUST_PROXY'),
    clockOffsetSeconds: reader.integer('CLOCK_OFFSET_SECONDS'),
    logLevel: reader.oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    exportTraces: reader.text('OTEL_EXPORTER_OTLP_ENDPOINT') !== undefined,
    keys: reader.keys(),
  };
  reader.oneOf('MPXN_PROFILE', ['spec', 'gb'], 'spec');
  const faults = [...reader.faults, ...(production ? faultsInProduction(settings, reader) : [])];
  if (faults.length > 0) throw new SettingsError(faults);
  return settings;
}

/** Defaults of 2-decisions-a-b.md, section 2. */
function limitsOf(reader: EnvironmentReader): Limits {
  return {
    requests: reader.limit('LIMIT_REQUESTS', 600),
    failedSignIns: reader.limit('LIMIT_FAILED_SIGN_INS', 10),
    verifyMisses: reader.limit('LIMIT_VERIFY_MISSES', 20),
    existsMinute: reader.limit('LIMIT_EXISTS_MINUTE', 60),
    existsDay: reader.limit('LIMIT_EXISTS_DAY', 2_000),
  };
}

/** What production needs: every key of the services that run here, the database, addresses; nothing that weakens it. */
function faultsInProduction(settings: Settings, reader: EnvironmentReader): string[] {
  const { services, keys, rateLimitsOff, databaseUrl, clockOffsetSeconds } = settings;
  const faults: string[] = [];
  if ((services.has('access') || services.has('identity')) && databaseUrl === undefined)
    faults.push('DATABASE_URL: missing; production uses a PostgreSQL of its own');
  for (const [key, { variable, services: users }] of Object.entries(KEY_VARIABLES)) {
    const needed = users.some((service) => services.has(service));
    if (needed && keys[key as keyof Keys] === undefined)
      faults.push(`${variable}: missing (npm run admin -- create-keys makes a set)`);
  }
  faults.push(...faultsOfAddresses(settings, reader));
  if (rateLimitsOff) faults.push('RATE_LIMITS: off is for tests and benches only');
  if (clockOffsetSeconds !== undefined) faults.push('CLOCK_OFFSET_SECONDS: the clock is not moved in production');
  return faults;
}

const URL_VARIABLES = { gateway: 'GATEWAY_URL', access: 'ACCESS_URL', identity: 'IDENTITY_URL' } as const;
const THIS_MACHINE = /^(localhost|.*\.localhost|127\..*|0\.0\.0\.0|\[::1?\])$/;

/** BASE_URL is the issuer of the tokens, which every service issues or verifies; a default would point to this machine. */
function faultsOfAddresses({ services, baseUrl }: Settings, reader: EnvironmentReader): string[] {
  const faults: string[] = [];
  if (reader.text('BASE_URL') === undefined) faults.push('BASE_URL: missing; the public address of Interface A');
  else if (URL.canParse(baseUrl)) {
    const { protocol, hostname } = new URL(baseUrl);
    if (protocol !== 'https:') faults.push('BASE_URL: not https');
    if (THIS_MACHINE.test(hostname)) faults.push('BASE_URL: names this machine, not a public address');
  }
  for (const [service, variable] of Object.entries(URL_VARIABLES)) {
    const users = [...services].filter((user) => ASKS[user]?.includes(service as ServiceName));
    if (users.length > 0 && !services.has(service as ServiceName) && reader.text(variable) === undefined)
      faults.push(`${variable}: missing; ${users.join(' and ')} asks ${service}`);
  }
  return faults;
}
