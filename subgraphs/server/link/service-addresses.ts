import { lookup } from 'node:dns/promises';

/** Addresses of a host, all IPv4 or all IPv6. */
export type Family = readonly string[];

/** Maximum connections to replicas of a service; further addresses of its name are ignored. */
const MAX_CONNECTIONS = 8;

/** Returns the addresses of the host of a URL by family, in the order of the name server. */
export async function addressFamilies(url: string): Promise<readonly Family[]> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ family }) => family))].map((family) => {
    const addresses = found.filter((each) => each.family === family).map(({ address }) => address);
    return addresses.slice(0, MAX_CONNECTIONS);
  });
}
