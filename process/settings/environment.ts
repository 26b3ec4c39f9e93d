import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { SERVICES } from './keys';
import { BAD_PORTS } from './ports';
import { licenceAreaOf } from '../../subgraphs/grid-models/projects/licence-areas';
import { type MemberProfiles, addedProfiles } from '../../subgraphs/grid-models/rdf/member-profiles';
import type { ServiceName } from '../../subgraphs/server/callers/caller';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Proxies whose `X-Forwarded-For` header is trusted: none (false), all (true), the given number of hops in front of
 * this process, or those at the given addresses or networks.
 */
export type TrustProxy = boolean | number | string[];

/** Names of address ranges that Fastify accepts in a list of proxies. */
const ADDRESS_RANGES = ['loopback', 'linklocal', 'uniquelocal'];
const ADDRESS = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i;
const MAX_HOPS = 16;
const MAX_DAYS = 36_500; // an instant in a hundred years is a valid date

/** Reads variables and collects the problems of all of them. An empty variable counts as missing. */
export class EnvironmentReader {
  readonly problems: string[] = [];

  constructor(private readonly environment: Environment) {}

  text(name: string): string | undefined {
    const text = this.environment[name]?.trim();
    return text === '' ? undefined : text;
  }

  services(): ReadonlySet<ServiceName> {
    const named = (this.text('SERVICES') ?? SERVICES.join(',')).split(',').map((name) => name.trim());
    for (const name of named) {
      if (!SERVICES.includes(name as never))
        this.problems.push(`SERVICES: ${name} is not one of ${SERVICES.join(', ')}`);
    }
    return new Set(named as ServiceName[]);
  }

  port(name: string, byDefault: number): number {
    const port = this.integer(name) ?? byDefault;
    if (port < 0 || port > 65_535) this.problems.push(`${name}: must be a port, 0 to 65535`);
    if (BAD_PORTS.has(port))
      this.problems.push(`${name}: must not be a port that browsers block (of another protocol)`);
    return port;
  }

  integer(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^-?\d{1,10}$/.test(text)) this.problems.push(`${name}: must be a whole number`);
    return Number(text);
  }

  /** Reads a date such as `2027-11-20`; returns its midnight in UTC. */
  day(name: string, byDefault: string): Date {
    const text = this.text(name) ?? byDefault;
    const day = new Date(`${text}T00:00:00Z`);
    const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${text}T`);
    if (!isDay) this.problems.push(`${name}: must be a date such as ${byDefault}`);
    return day;
  }

  /** Reads a number of days, at least 1. */
  days(name: string): number | undefined {
    const days = this.integer(name);
    if (days !== undefined && (days < 1 || days > MAX_DAYS)) this.problems.push(`${name}: must be 1 to ${MAX_DAYS}`);
    return days;
  }

  /** Reads a rate limit, at least 1. */
  limit(name: string, byDefault: number): number {
    const limit = this.integer(name) ?? byDefault;
    if (limit < 1) this.problems.push(`${name}: must be at least 1 (RATE_LIMITS=off switches all limits off)`);
    return limit;
  }

  /** Reads the URL of a service in another process, which accepts mutual TLS only. */
  serviceUrl(name: string, port: number): string {
    const url = this.url(name, `https://localhost:${port}`);
    if (url.startsWith('http:')) this.problems.push(`${name}: must be an https URL; services call each other over TLS`);
    return url;
  }

  /** Reads the URLs of the operator's pages for customers, unchanged; undefined for those that are missing. */
  operatorPages(): { readonly supportUrl: string | undefined; readonly privacyUrl: string | undefined } {
    return { supportUrl: this.httpUrl('SUPPORT_URL'), privacyUrl: this.httpUrl('PRIVACY_URL') };
  }

  /** Reads an http or https URL to which paths are appended; removes slashes at its end. */
  url(name: string, byDefault: string): string {
    const text = this.httpUrl(name);
    if (text !== undefined && /[?#]/.test(text)) this.problems.push(`${name}: must have no query and no fragment`);
    return (text ?? byDefault).replace(/\/+$/, '');
  }

  private httpUrl(name: string): string | undefined {
    const text = this.text(name);
    if (text !== undefined && !(URL.canParse(text) && /^https?:\/\/\S+$/.test(text)))
      this.problems.push(`${name}: must be an http or https URL without whitespace`);
    return text;
  }

  /** Reads an `smtp://` or `smtps://` URL. It may contain a password, so no message quotes it. */
  mailServer(name: string): string | undefined {
    const text = this.text(name);
    if (text !== undefined && !(URL.canParse(text) && /^smtps?:\/\//.test(text)))
      this.problems.push(`${name}: must be an smtp or smtps URL`);
    return text;
  }

  mailAddress(name: string, byDefault: string): string {
    const text = this.text(name) ?? byDefault;
    if (!/^[^@\s]+@[^@\s]+$/.test(text)) this.problems.push(`${name}: must be an e-mail address`);
    return text;
  }

  /** Reads the offset of the register's clock, which makes the clock movable; undefined for a fixed clock. */
  clockOffsetSeconds(): number | undefined {
    const canMove = this.oneOf('CLOCK_CAN_MOVE', ['true', 'false'], 'false') === 'true';
    return this.integer('CLOCK_OFFSET_SECONDS') ?? (canMove ? 0 : undefined);
  }

  oneOf(name: string, allowed: readonly string[], byDefault: string): string {
    const text = this.text(name) ?? byDefault;
    if (!allowed.includes(text)) this.problems.push(`${name}: must be one of ${allowed.join(', ')}`);
    return text;
  }

  trustProxy(name: string): TrustProxy {
    const text = this.text(name) ?? 'false';
    if (text === 'true' || text === 'false') return text === 'true';
    if (/^\d+$/.test(text)) {
      if (Number(text) > MAX_HOPS) this.problems.push(`${name}: must be at most ${MAX_HOPS} proxies`);
      return Number(text);
    }
    const proxies = text.split(',').map((proxy) => proxy.trim());
    if (!proxies.every(isProxy))
      this.problems.push(`${name}: must be true, false, a number of proxies or a list of their addresses or networks`);
    return proxies;
  }

  /** Reads a licence area by its code or alias (decisions C.4). */
  licenceArea(name: string): string | undefined {
    const text = this.text(name);
    if (text !== undefined && licenceAreaOf(text) === undefined)
      this.problems.push(`${name}: must be the code or alias of a licence area`);
    return text;
  }

  /** Reads the JSON file that a variable names: profiles of the members of grid archives. */
  gridProfiles(name: string): Partial<MemberProfiles> {
    const path = this.text(name);
    if (path === undefined) return {};
    try {
      const read = addedProfiles(readFileSync(path, 'utf8'));
      if ('profiles' in read) return read.profiles;
      this.problems.push(...read.violations.map((violation) => `${name}: ${path}: ${violation}`));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      this.problems.push(
        `${name}: ${path}: ${code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`}`,
      );
    }
    return {};
  }
}

function isProxy(proxy: string): boolean {
  if (ADDRESS_RANGES.includes(proxy)) return true;
  const [, address = '', bits] = ADDRESS.exec(proxy) ?? [];
  const version = isIP(address);
  return version !== 0 && (bits === undefined || Number(bits) <= (version === 4 ? 32 : 128));
}
