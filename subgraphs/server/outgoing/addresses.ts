import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The block that contains all assigned unicast addresses (IANA, IPv6 Global Unicast Address Assignments). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Special ranges that ipaddr.js may not contain: translation, segment routing, documentation. */
const FURTHER_SPECIAL = ['64:ff9b:1::/48', '5f00::/16', '3fff::/20', '::/96'].map(
  (range) => ipaddr.parseCIDR(range) as [ipaddr.IPv6, number],
);

/**
 * Returns whether an IP address is a public unicast address: not private, loopback, link-local, mapped, translated or
 * otherwise special (decisions A/B, 6).
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (!(parsed instanceof ipaddr.IPv6)) return true;
  return parsed.match(GLOBAL_UNICAST) && !FURTHER_SPECIAL.some((range) => parsed.match(range));
}

/** Returns whether an IP address is a loopback address: 127.0.0.0/8 or ::1. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback';
}

/**
 * Returns the IP address in the host of a URL; undefined if the host is a name. `URL` has normalised decimal, octal,
 * hexadecimal and shortened forms.
 */
export function literalAddress({ hostname }: URL): string | undefined {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(host) === 0 ? undefined : host;
}

/** Returns whether a host name means this machine (RFC 6761, section 6.3). */
export function isLoopbackName(name: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(name);
}
