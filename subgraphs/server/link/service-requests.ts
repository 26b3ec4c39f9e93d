import type { ClientRequest, IncomingMessage } from 'node:http';
import { type RequestOptions, get, request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { ServiceAgent } from './peer-check';

/** Sends a GET request, as `fetch` does. */
export type ServiceFetch = (url: string, options: { readonly signal?: AbortSignal }) => Promise<Response>;

/** Returns a `fetch` over an agent. */
export function serviceFetch(agent: ServiceAgent): ServiceFetch {
  const requests = serviceRequests(agent);
  return async (url, { signal }) => {
    const incoming = await requests.get(url, signal ? { signal } : {});
    return new Response(new Uint8Array(await buffer(incoming)), { status: incoming.statusCode ?? 500 });
  };
}

/** Requests of one service to another. */
interface ServiceRequests {
  /** Sends a GET request; resolves when the response starts. */
  readonly get: (target: URL | string, options: RequestOptions) => Promise<IncomingMessage>;
  /** Starts a request, as `request` of `node:https` does. */
  readonly request: (target: URL, options: RequestOptions) => ClientRequest;
}

/** Errors of a connection that the other end has closed. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Returns requests over an agent. If the service closes a kept-alive connection before it responds to a GET request, as a replica that
 * stops does, the request is repeated once, on a new connection.
 */
export function serviceRequests(agent: ServiceAgent): ServiceRequests {
  const getting = (target: URL | string, options: RequestOptions, mayRepeat: boolean): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const outgoing = get(target, { ...options, agent }, resolve);
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        if (!mayRepeat || !outgoing.reusedSocket || !CLOSED.has(error.code ?? '')) return reject(error);
        agent.closeIdle();
        resolve(getting(target, options, false));
      });
    });
  return {
    get: (target, options) => getting(target, options, true),
    request: (target, options) => request(target, { ...options, agent }),
  };
}
