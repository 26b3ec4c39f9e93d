import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { CallContext } from './caller';

/**
 * Returns who uses a shared resource: the accounts of a Data User or supplier together, another account, or the network of a client without
 * one. A consumer's token counts for its RTI User at the supplier that issued it: each supplier can issue tokens for every RTI User.
 */
export function ownerOf({ caller, clientAddress }: CallContext): string {
  if (caller === null) return clientNetwork(clientAddress);
  const { accountId, role, duid, mpid } = caller;
  return role === 'consumer' ? `${mpid} ${accountId}` : (duid ?? mpid ?? accountId);
}

/**
 * Returns the network that counts as one client: an IPv4 address, or the /64 prefix of an IPv6 address (decisions A/B,
 * 2).
 */
export function clientNetwork(address: string): string {
  if (isIPv4(address)) return address; // without the parser, which costs microseconds at each verification
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
