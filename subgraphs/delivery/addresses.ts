import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All addresses that were ever given out for unicast on the Internet (IANA, IPv6 Global Unicast Address Assignments). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Special ranges whichever version of the list of special ranges is installed: translation, segment routing, documentation. */
const FURTHER_SPECIAL = ['64:ff9b:1::/48', '5f00::/16', '3fff::/20', '::/96'].map(
  (range) => ipaddr.parseCIDR(range) as [ipaddr.IPv6, number],
);

/**
 * Whether an IP address is an ordinary one of the Internet: not private, loopback, link-local, mapped, translated or otherwise special
 * (2-decisions-a-b.md, section 6).
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (!(parsed instanceof ipaddr.IPv6)) return true;
  return parsed.match(GLOBAL_UNICAST) && !FURTHER_SPECIAL.some((range) => parsed.match(range));
}

/** Whether an IP address is one of this machine's own: 127.0.0.0/8 or ::1. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback';
}

/**
 * The IP address that the host of a URL is; undefined when it is a name. The parser of URLs has made one form of the decimal, octal,
 * hexadecimal and shortened ones.
 */
export function literalAddress({ hostname }: URL): string | undefined {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(host) === 0 ? undefined : host;
}

/** Whether a host name means this machine (RFC 6761). */
export function isLoopbackName(name: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(name);
}
