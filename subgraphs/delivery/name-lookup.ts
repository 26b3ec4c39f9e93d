import type { LookupAddress, LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { type LookupFunction, isIP } from 'node:net';
import { isLoopbackName } from './addresses';

/** Looks up names. */
export interface NameLookup {
  /** The addresses of a name. */
  addressesOf(name: string): Promise<readonly LookupAddress[]>;
  /** Gives up what is under way. */
  close(): void;
}

/** Milliseconds for a name server, and how often it is asked. */
const PATIENCE = { timeout: 2_000, tries: 2 };

/** What `localhost` means, whatever name servers say (RFC 6761). */
const THIS_MACHINE: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Names that this machine knows by itself. */
const HOSTS_FILE = '/etc/hosts';

/**
 * Asks the name servers by itself: the system's own lookup has four threads for the whole process, and whoever verifies a token or
 * connects to anything needs one of them. A few names whose server does not answer would hold up everybody, also such that it denied
 * once, so that the system is not asked for those either. What no server knows may stand in the file of hosts.
 */
export function nameLookup(servers?: readonly string[], hostsFile = HOSTS_FILE): NameLookup {
  const resolver = new Resolver(PATIENCE);
  if (servers) resolver.setServers(servers);
  const addressesOf: NameLookup['addressesOf'] = async (name) => {
    if (isLoopbackName(name)) return THIS_MACHINE;
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [...known(four, 4), ...known(six, 6)];
    if (found.length > 0) return found;
    const failures = [four, six].map((answer) => codeOf(answer));
    const unanswered = failures.find((code) => code === 'ETIMEOUT' || code === 'ECANCELLED');
    if (unanswered !== undefined) throw Object.assign(new Error('no name server answers'), { code: unanswered });
    return namedIn(hostsFile, name);
  };
  return { addressesOf, close: () => resolver.cancel() };
}

function known(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

function codeOf(answer: PromiseSettledResult<unknown>): unknown {
  return answer.status === 'rejected' ? (answer.reason as NodeJS.ErrnoException).code : undefined;
}

/** What a file of hosts says of a name: lines of an address and its names, `#` begins a comment. */
async function namedIn(hostsFile: string, name: string): Promise<LookupAddress[]> {
  const text = await readFile(hostsFile, 'utf8').catch(() => ''); // a machine may do without
  const wanted = name.toLowerCase();
  const found = text.split('\n').flatMap((line): LookupAddress[] => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.includes(wanted) ? [{ address, family }] : [];
  });
  if (found.length === 0) throw Object.assign(new Error('the name is not known'), { code: 'ENOTFOUND' });
  return found;
}

/** A lookup for connections that gives only addresses which are admitted: one that is not refuses the name (code `BLOCKED`). */
export function admittedLookup(names: NameLookup, admits: (address: string) => boolean): LookupFunction {
  return (name: string, options: LookupOptions, answer): void => {
    names
      .addressesOf(name)
      .then((addresses) => {
        if (!addresses.every(({ address }) => admits(address))) throw blockedAddress();
        return addresses;
      })
      .then(
        ([...addresses]) => {
          const [first] = addresses as [LookupAddress];
          if (options.all === true) answer(null, addresses);
          else answer(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => answer(error, []),
      );
  };
}

/** What a connection to an address that is not admitted fails with. */
export function blockedAddress(): NodeJS.ErrnoException {
  return Object.assign(new Error('the address is not admitted'), { code: 'BLOCKED' });
}
