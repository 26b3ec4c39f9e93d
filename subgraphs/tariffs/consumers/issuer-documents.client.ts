import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { isPublicAddress, literalAddress } from '../../delivery/requests/addresses';
import { admittedLookup, nameLookup } from '../../delivery/requests/name-lookup';

/** Downloads the JSON documents that token issuers publish: metadata and key sets. */
export interface IssuerDocuments {
  /** Returns the JSON at a URL; throws an error with a `code` if no valid response arrives within three seconds. */
  get(url: string): Promise<unknown>;
  close(): void;
}

/** Timeout of an exchange, from the name lookup to the end of the response. */
const EXCHANGE_TIMEOUT_MS = 3_000;
const MAX_DOCUMENT_BYTES = 262_144;

/**
 * Requests https URLs at public addresses; outside production also http and other addresses. The check applies to the address that is
 * connected to. Certificates are always verified; redirects are never followed.
 */
export function issuerDocuments(production: boolean): IssuerDocuments {
  const admits = (address: string) => !production || isPublicAddress(address);
  const names = nameLookup();
  const options = { keepAlive: false, allowPrivateIPAddress: !production, lookup: admittedLookup(names, admits) };
  const encrypted = new RequestFilteringHttpsAgent({ ...options, rejectUnauthorized: true });
  const plain = production ? undefined : new RequestFilteringHttpAgent(options);
  const open = (url: URL) => {
    const literal = literalAddress(url);
    if (literal !== undefined && !admits(literal)) throw documentError('blocked-address');
    const headers = { accept: 'application/json, application/jwk-set+json' };
    if (url.protocol === 'https:') return httpsRequest(url, { agent: encrypted, headers });
    if (url.protocol === 'http:' && plain) return httpRequest(url, { agent: plain, headers });
    throw documentError('blocked-address');
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
    const deadline = setTimeout(() => fail(documentError('timeout')), EXCHANGE_TIMEOUT_MS);
    outgoing.on('close', () => {
      clearTimeout(deadline);
      reject(documentError('connection'));
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      if (incoming.statusCode !== 200) return fail(documentError(`status-${incoming.statusCode}`));
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
    if (bytes > MAX_DOCUMENT_BYTES) throw documentError('too-long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** An error with a code of this file: it never contains text of the issuer. */
function documentError(code: string): Error {
  return Object.assign(new Error('the document is unavailable'), { code });
}
