import { resolve } from 'node:path';
import type { JWK } from 'jose';
import { KEY_BYTES, KEY_VARIABLES, type Keys, SERVICES } from './keys';
import type { ServiceName } from './subgraphs/server/caller';

/** The environment, as far as the register reads it. */
export type Environment = Readonly<Record<string, string | undefined>>;

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
  readonly trustProxy: boolean;
  /** Seconds by which the register's clock is moved at start; undefined leaves it. Outside production only. */
  readonly clockOffsetSeconds: number | undefined;
  readonly logLevel: string;
  /** Whether OTEL_EXPORTER_OTLP_ENDPOINT names a collector of traces. */
  readonly exportTraces: boolean;
  /** Keys given by the environment; main.ts adds those of the data folder outside production. */
  readonly keys: Partial<Keys>;
}

/** Thrown with every fault of the environment at once. */
export class SettingsError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`the register cannot start:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** Reads the settings; throws all faults together. */
export function readSettings(environment: Environment): Settings {
  const reader = new Reader(environment);
  const production = environment['NODE_ENV'] === 'production';
  const services = reader.services();
  const ports: Settings['ports'] = {
    gateway: reader.port('GATEWAY_PORT', 4000),
    'rest-adapter': reader.port('REST_PORT', 4001),
    access: reader.port('ACCESS_PORT', 4011),
    identity: reader.port('IDENTITY_PORT', 4012),
  };
  const serviceUrls = {
    gateway: reader.url('GATEWAY_URL', `http://localhost:${ports.gateway}`),
    'rest-adapter': reader.url('REST_URL', `http://localhost:${ports['rest-adapter']}`),
    access: reader.url('ACCESS_URL', `http://localhost:${ports.access}`),
    identity: reader.url('IDENTITY_URL', `http://localhost:${ports.identity}`),
  };
  const settings: Settings = {
    production,
    services,
    host: environment['HOST'] ?? 'localhost',
    ports,
    serviceUrls,
    databaseUrl: environment['DATABASE_URL'],
    dataDir: resolve(environment['DATA_DIR'] ?? '.data'),
    baseUrl: reader.url('BASE_URL', `http://localhost:${ports['rest-adapter']}/v1`),
    gatewayUrl: serviceUrls.gateway,
    rateLimitsOff: reader.oneOf('RATE_LIMITS', ['on', 'off'], 'on') === 'off',
    trustProxy: reader.oneOf('TRUST_PROXY', ['true', 'false'], 'false') === 'true',
    clockOffsetSeconds: reader.integer('CLOCK_OFFSET_SECONDS'),
    logLevel: reader.oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    exportTraces: Boolean(environment['OTEL_EXPORTER_OTLP_ENDPOINT']),
    keys: reader.keys(),
  };
  reader.oneOf('MPXN_PROFILE', ['spec', 'gb'], 'spec');
  if (production) reader.demandForProduction(settings);
  reader.throwFaults();
  return settings;
}

/** Reads variables and collects what is wrong with them. */
class Reader {
  private readonly faults: string[] = [];

  constructor(private readonly environment: Environment) {}

  services(): ReadonlySet<ServiceName> {
    const named = (this.environment['SERVICES'] ?? SERVICES.join(',')).split(',').map((name) => name.trim());
    for (const name of named) {
      if (!SERVICES.includes(name as never)) this.faults.push(`SERVICES: ${name} is none of ${SERVICES.join(', ')}`);
    }
    return new Set(named as ServiceName[]);
  }

  port(name: string, otherwise: number): number {
    const port = this.integer(name) ?? otherwise;
    if (port < 0 || port > 65_535) this.faults.push(`${name}: not a port`);
    return port;
  }

  integer(name: string): number | undefined {
    const text = this.environment[name];
    if (text === undefined || text === '') return undefined;
    if (!/^-?\d{1,10}$/.test(text)) this.faults.push(`${name}: not a whole number`);
    return Number(text);
  }

  url(name: string, otherwise: string): string {
    const text = this.environment[name] ?? otherwise;
    if (!URL.canParse(text)) this.faults.push(`${name}: not a URL`);
    return text.replace(/\/+$/, '');
  }

  oneOf(name: string, allowed: readonly string[], otherwise: string): string {
    const text = this.environment[name] ?? otherwise;
    if (!allowed.includes(text)) this.faults.push(`${name}: none of ${allowed.join(', ')}`);
    return text;
  }

  keys(): Partial<Keys> {
    const entries = Object.entries(KEY_VARIABLES).map(([key, { variable }]) => [key, this.key(variable)] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Partial<Keys>;
  }

  /** What production needs: every key of the services that run here, the database, public addresses; nothing that weakens it. */
  demandForProduction({ services, keys, rateLimitsOff, databaseUrl, clockOffsetSeconds }: Settings): void {
    const needsDatabase = services.has('access') || services.has('identity');
    if (needsDatabase && databaseUrl === undefined)
      this.faults.push('DATABASE_URL: missing; production uses a PostgreSQL of its own');
    for (const [key, { variable, services: users }] of Object.entries(KEY_VARIABLES)) {
      const needed = users.some((service) => services.has(service));
      if (needed && keys[key as keyof Keys] === undefined)
        this.faults.push(`${variable}: missing (npm run admin -- create-keys makes a set)`);
    }
    if (services.has('rest-adapter') && this.environment['BASE_URL'] === undefined)
      this.faults.push('BASE_URL: missing; the public address of Interface A');
    if (rateLimitsOff) this.faults.push('RATE_LIMITS: off is for tests and benches only');
    if (clockOffsetSeconds !== undefined)
      this.faults.push('CLOCK_OFFSET_SECONDS: the clock is not moved in production');
  }

  throwFaults(): void {
    if (this.faults.length > 0) throw new SettingsError(this.faults);
  }

  private key(variable: string): Buffer | readonly JWK[] | undefined {
    const text = this.environment[variable];
    if (text === undefined || text === '') return undefined;
    if (variable === KEY_VARIABLES.tokenSigningKeys.variable) return this.signingKeys(variable, text);
    const bytes = Buffer.from(text, 'base64');
    if (bytes.length !== KEY_BYTES) this.faults.push(`${variable}: not ${KEY_BYTES} bytes in base64`);
    return bytes;
  }

  private signingKeys(variable: string, text: string): readonly JWK[] {
    try {
      const { keys } = JSON.parse(text) as { keys: JWK[] };
      if (keys.length > 0 && keys.every(({ kty, crv, d, kid }) => kty === 'OKP' && crv === 'Ed25519' && d && kid))
        return keys;
    } catch {
      // told below, without quoting the variable
    }
    this.faults.push(`${variable}: not a JSON Web Key Set of private Ed25519 keys with kid`);
    return [];
  }
}
