import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { isPublicAddress, literalAddress } from '../../delivery/addresses';
import { admittedLookup, nameLookup } from '../../delivery/name-lookup';

/** What issuers of tokens publish of themselves. */
export interface IssuerDocuments {
  /** The JSON at an address; throws when it cannot be had within three seconds. */
  get(url: string): Promise<unknown>;
  close(): void;
}

/** Milliseconds for a whole exchange, from looking up the name to the end of the answer. */
const EXCHANGE = 3_000;
/** Bytes of a document. */
const LONGEST = 262_144;

/**
 * Documents over https from addresses of the Internet; outside production by http and from everywhere, too. The address is checked as it
 * is connected to, certificates always are, redirects are never followed.
 */
export function issuerDocuments(production: boolean): IssuerDocuments {
  const admits = (address: string) => !production || isPublicAddress(address);
  const names = nameLookup();
  const options = { keepAlive: false, allowPrivateIPAddress: !production, lookup: admittedLookup(names, admits) };
  const encrypted = new RequestFilteringHttpsAgent({ ...options, rejectUnauthorized: true });
  const plain = production ? undefined : new RequestFilteringHttpAgent(options);
  const open = (url: URL) => {
    const literal = literalAddress(url);
    if (literal !== undefined && !admits(literal)) throw fault('blocked-address');
    const headers = { accept: 'application/json, application/jwk-set+json' };
    if (url.protocol === 'https:') return httpsRequest(url, { agent: encrypted, headers });
    if (url.protocol === 'http:' && plain) return httpRequest(url, { agent: plain, headers });
    throw fault('blocked-address');
  };
  return {
    get: async (url) => JSON.parse(await exchange(() => open(new URL(url)))) as unknown,
    close: () => names.close(),
  };
}

function exchange(open: () => ReturnType<typeof httpRequest>): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = open();
    const fail = (error: Error) => {
      reject(error);
      outgoing.destroy();
    };
    const deadline = setTimeout(() => fail(fault('timeout')), EXCHANGE);
    outgoing.on('close', () => {
      clearTimeout(deadline);
      reject(fault('connection'));
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      if (incoming.statusCode !== 200) return fail(fault(`status-${incoming.statusCode}`));
      textOf(incoming).then(resolve, fail);
    });
    outgoing.end();
  });
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LONGEST) throw fault('too-long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What a document could not be had for; never the words of whoever should have given it. */
function fault(code: string): Error {
  return Object.assign(new Error('the document cannot be had'), { code });
}
