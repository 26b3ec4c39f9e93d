import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { isPublicAddress, literalAddress } from './addresses';
import { admittedLookup, nameLookup } from './name-lookup';

/** Requests to token issuers: for their metadata, their key sets, and tokens. */
export interface IssuerRequests {
  /**
   * Sends a request, as `fetch` does; the response contains its complete body and no header except `content-type`. Rejects with an {@link
   * IssuerUnavailable} if no response of at most 256 KiB arrives in time.
   */
  send(url: string, request?: IssuerRequest): Promise<Response>;
  /** Cancels the running name lookups. */
  close(): void;
}

interface IssuerRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Options of {@link issuerRequests}. */
interface IssuerRequestOptions {
  readonly production: boolean;
  /** Timeout of an exchange, from the name lookup to the end of the response. */
  readonly timeoutMs: number;
}

const MAX_BODY_BYTES = 262_144;

/** Thrown if an issuer is not called, or its response is not usable. Contains no text of the issuer. */
export class IssuerUnavailable extends Error {
  constructor(readonly code: string) {
    super('no response of the issuer');
  }
}

/**
 * Requests https URLs at public addresses; outside production also http and other addresses. The check applies to the address that is
 * connected to. Certificates are always verified; redirects are never followed.
 */
export function issuerRequests({ production, timeoutMs }: IssuerRequestOptions): IssuerRequests {
  const admits = (address: string) => !production || isPublicAddress(address);
  const names = nameLookup();
  const options = { keepAlive: false, allowPrivateIPAddress: !production, lookup: admittedLookup(names, admits) };
  const encrypted = new RequestFilteringHttpsAgent({ ...options, rejectUnauthorized: true });
  const plain = production ? undefined : new RequestFilteringHttpAgent(options);
  const open = (url: URL, { method = 'GET', headers = {} }: IssuerRequest) => {
    const literal = literalAddress(url);
    if (literal !== undefined && !admits(literal)) throw new IssuerUnavailable('blocked-address');
    if (url.protocol === 'https:') return httpsRequest(url, { agent: encrypted, method, headers });
    if (url.protocol === 'http:' && plain) return httpRequest(url, { agent: plain, method, headers });
    throw new IssuerUnavailable('blocked-address');
  };
  return {
    send: (url, request = {}) => exchange(() => open(new URL(url), request), request.body, timeoutMs),
    close: () => names.close(),
  };
}

function exchange(
  open: () => ReturnType<typeof httpRequest>,
  body: string | undefined,
  timeoutMs: number,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = open();
    const fail = (error: NodeJS.ErrnoException) => {
      reject(error instanceof IssuerUnavailable ? error : new IssuerUnavailable(error.code ?? error.name));
      outgoing.destroy();
    };
    const deadline = setTimeout(() => fail(new IssuerUnavailable('timeout')), timeoutMs);
    outgoing.on('close', () => {
      clearTimeout(deadline);
      reject(new IssuerUnavailable('connection'));
    });
    outgoing.on('error', fail);
    outgoing.on('response', (incoming) => void responseOf(incoming).then(resolve, fail));
    outgoing.end(body);
  });
}

async function responseOf(incoming: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new IssuerUnavailable('too-long');
    chunks.push(chunk);
  }
  return new Response(bytes === 0 ? null : Buffer.concat(chunks), {
    status: incoming.statusCode ?? 0,
    headers: { 'content-type': incoming.headers['content-type'] ?? '' },
  });
}
