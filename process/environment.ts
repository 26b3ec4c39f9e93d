import { isIP } from 'node:net';
import type { JWK } from 'jose';
import { KEY_BYTES, KEY_VARIABLES, type Keys, SERVICES } from './keys';
import { REFUSED_PORTS } from './refused-ports';
import { licenceAreaOf } from '../subgraphs/grid-models/domain/licence-areas';
import type { ServiceName } from '../subgraphs/server/caller';

/** The environment, as far as the register reads it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whose `X-Forwarded-For` is believed: nobody's (false), everybody's (true), that of so many proxies in front, or that of proxies at
 * these addresses or networks.
 */
export type TrustProxy = boolean | number | string[];

/** A name that a proxy list may hold beside addresses: the sets of addresses that Fastify knows by name. */
const ADDRESS_SETS = ['loopback', 'linklocal', 'uniquelocal'];
const ADDRESS = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i;
const MOST_HOPS = 16;

/** Reads variables and collects what is wrong with them. A variable that is empty counts as missing. */
export class EnvironmentReader {
  readonly faults: string[] = [];

  constructor(private readonly environment: Environment) {}

  text(name: string): string | undefined {
    const text = this.environment[name]?.trim();
    return text === '' ? undefined : text;
  }

  services(): ReadonlySet<ServiceName> {
    const named = (this.text('SERVICES') ?? SERVICES.join(',')).split(',').map((name) => name.trim());
    for (const name of named) {
      if (!SERVICES.includes(name as never)) this.faults.push(`SERVICES: ${name} is none of ${SERVICES.join(', ')}`);
    }
    return new Set(named as ServiceName[]);
  }

  port(name: string, otherwise: number): number {
    const port = this.integer(name) ?? otherwise;
    if (port < 0 || port > 65_535) this.faults.push(`${name}: not a port`);
    if (REFUSED_PORTS.has(port)) this.faults.push(`${name}: a port of another protocol, to which no browser connects`);
    return port;
  }

  integer(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^-?\d{1,10}$/.test(text)) this.faults.push(`${name}: not a whole number`);
    return Number(text);
  }

  /** A day such as `2027-11-20`: its beginning in UTC. */
  day(name: string, otherwise: string): Date {
    const text = this.text(name) ?? otherwise;
    const day = new Date(`${text}T00:00:00Z`);
    const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${text}T`);
    if (!isDay) this.faults.push(`${name}: not a day such as ${otherwise}`);
    return day;
  }

  /** A number of days, at least one. */
  days(name: string): number | undefined {
    const days = this.integer(name);
    if (days !== undefined && days < 1) this.faults.push(`${name}: not at least 1 day`);
    return days;
  }

  /** How often something may happen: at least once. */
  limit(name: string, otherwise: number): number {
    const limit = this.integer(name) ?? otherwise;
    if (limit < 1) this.faults.push(`${name}: not at least 1 (RATE_LIMITS=off turns limits off)`);
    return limit;
  }

  url(name: string, otherwise: string): string {
    const text = this.text(name);
    if (text !== undefined && !(URL.canParse(text) && /^https?:\/\//.test(text)))
      this.faults.push(`${name}: not a URL`);
    return (text ?? otherwise).replace(/\/+$/, '');
  }

  /** `smtp://` or `smtps://`, perhaps with user and password, which no message quotes. */
  mailServer(name: string): string | undefined {
    const text = this.text(name);
    if (text !== undefined && !(URL.canParse(text) && /^smtps?:\/\//.test(text)))
      this.faults.push(`${name}: not an smtp or smtps URL`);
    return text;
  }

  mailAddress(name: string, otherwise: string): string {
    const text = this.text(name) ?? otherwise;
    if (!/^[^@\s]+@[^@\s]+$/.test(text)) this.faults.push(`${name}: not an e-mail address`);
    return text;
  }

  oneOf(name: string, allowed: readonly string[], otherwise: string): string {
    const text = this.text(name) ?? otherwise;
    if (!allowed.includes(text)) this.faults.push(`${name}: none of ${allowed.join(', ')}`);
    return text;
  }

  trustProxy(name: string): TrustProxy {
    const text = this.text(name) ?? 'false';
    if (text === 'true' || text === 'false') return text === 'true';
    if (/^\d+$/.test(text)) {
      if (Number(text) > MOST_HOPS) this.faults.push(`${name}: more than ${MOST_HOPS} proxies`);
      return Number(text);
    }
    const proxies = text.split(',').map((proxy) => proxy.trim());
    if (!proxies.every(isProxy))
      this.faults.push(`${name}: neither true, false, a number of proxies nor a list of their addresses or networks`);
    return proxies;
  }

  /** A licence area by its code or an alias (3-decisions-c-d.md, C.4). */
  licenceArea(name: string): string | undefined {
    const text = this.text(name);
    if (text !== undefined && licenceAreaOf(text) === undefined) this.faults.push(`${name}: no licence area`);
    return text;
  }

  keys(): Partial<Keys> {
    const entries = Object.entries(KEY_VARIABLES).map(([key, { variable }]) => [key, this.key(variable)] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Partial<Keys>;
  }

  private key(variable: string): Buffer | readonly JWK[] | undefined {
    const text = this.text(variable);
    if (text === undefined) return undefined;
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

function isProxy(proxy: string): boolean {
  if (ADDRESS_SETS.includes(proxy)) return true;
  const [, address = '', bits] = ADDRESS.exec(proxy) ?? [];
  const version = isIP(address);
  return version !== 0 && (bits === undefined || Number(bits) <= (version === 4 ? 32 : 128));
}
