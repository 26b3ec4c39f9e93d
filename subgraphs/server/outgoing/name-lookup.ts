import type { LookupAddress, LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { type LookupFunction, isIP } from 'node:net';
import { isLoopbackName } from './addresses';

/** Resolves host names. */
interface NameLookup {
  /** Returns the addresses of a name; fails if it has none. */
  addressesOf(name: string): Promise<readonly LookupAddress[]>;
  /** Cancels the running lookups. */
  close(): void;
}

/** Timeout of a query in milliseconds, and number of queries. */
const QUERY_LIMITS = { timeout: 2_000, tries: 2 };

/** Addresses of `localhost`, which are never looked up (RFC 6761, section 6.3). */
const LOOPBACK_ADDRESSES: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const HOSTS_FILE = '/etc/hosts';

/**
 * Returns a lookup that queries the name servers directly, and then the hosts file. `dns.lookup` would share the four
 * threads of the process (libuv) with all other work: a few names whose server does not respond would block it.
 */
export function nameLookup(servers?: readonly string[], hostsFile = HOSTS_FILE): NameLookup {
  const resolver = new Resolver(QUERY_LIMITS);
  if (servers) resolver.setServers(servers);
  const addressesOf: NameLookup['addressesOf'] = async (name) => {
    if (isLoopbackName(name)) return LOOPBACK_ADDRESSES;
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [...addressesIn(four, 4), ...addressesIn(six, 6)];
    if (found.length > 0) return found;
    const failures = [four, six].map((result) => codeOf(result));
    const timeout = failures.find((code) => code === 'ETIMEOUT' || code === 'ECANCELLED');
    if (timeout !== undefined) throw Object.assign(new Error('no name server responded'), { code: timeout });
    return readHosts(hostsFile, name);
  };
  return { addressesOf, close: () => resolver.cancel() };
}

function addressesIn(result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}

function codeOf(result: PromiseSettledResult<unknown>): unknown {
  return result.status === 'rejected' ? (result.reason as NodeJS.ErrnoException).code : undefined;
}

/** Returns the addresses of a name in a hosts file: lines of an address and its names; `#` starts a comment. */
async function readHosts(hostsFile: string, name: string): Promise<LookupAddress[]> {
  const text = await readFile(hostsFile, 'utf8').catch(() => ''); // the file is optional
  const wanted = name.toLowerCase();
  const found = text.split('\n').flatMap((line): LookupAddress[] => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.includes(wanted) ? [{ address, family }] : [];
  });
  if (found.length === 0) throw Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' });
  return found;
}

/** Returns a lookup for connections, which fails with the code `BLOCKED` if any address of the name is not admitted. */
export function admittedLookup(names: NameLookup, admits: (address: string) => boolean): LookupFunction {
  return (name: string, options: LookupOptions, respond): void => {
    names
      .addressesOf(name)
      .then((addresses) => {
        if (!addresses.every(({ address }) => admits(address))) throw blockedAddress();
        return addresses;
      })
      .then(
        ([...addresses]) => {
          const [first] = addresses as [LookupAddress];
          if (options.all === true) respond(null, addresses);
          else respond(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => respond(error, []),
      );
  };
}

/** Returns the error of a connection to an address that is not admitted. */
export function blockedAddress(): NodeJS.ErrnoException {
  return Object.assign(new Error('the address is not admitted'), { code: 'BLOCKED' });
}
