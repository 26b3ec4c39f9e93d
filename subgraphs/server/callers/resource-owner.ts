import ipaddr from 'ipaddr.js';
import type { CallContext } from './caller';

/** Returns who uses a shared resource: the accounts of a Data User together, another account, or the network of a client without one. */
export function ownerOf({ caller, clientAddress }: CallContext): string {
  return caller?.duid ?? caller?.accountId ?? clientNetwork(clientAddress);
}

/**
 * Returns the network that counts as one client: an IPv4 address, or the /64 prefix of an IPv6 address (decisions A/B,
 * 2).
 */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
