import { type Agent, type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

/** Connections of one URL scheme. */
export interface Connector {
  readonly admits: (address: string) => boolean;
  /** Opens a request, on a new connection if `isFresh`. Nothing is written before its headers or body. */
  readonly open: (url: URL, isFresh: boolean) => ClientRequest;
  close(): void;
}

/** Returns the options of an agent that connects to the addresses which a function admits. */
export type AgentOptions = (admits: Connector['admits']) => ConstructorParameters<typeof RequestFilteringHttpsAgent>[0];

/** Verifies certificates, regardless of `NODE_TLS_REJECT_UNAUTHORIZED`. */
export function encrypted(options: AgentOptions, admits: Connector['admits']): Connector {
  const agent = (keepAlive: boolean) =>
    new RequestFilteringHttpsAgent({ ...options(admits), keepAlive, rejectUnauthorized: true });
  return connectorOf(admits, agent, httpsRequest);
}

/** Connects without encryption. */
export function plain(options: AgentOptions, admits: Connector['admits']): Connector {
  const agent = (keepAlive: boolean) => new RequestFilteringHttpAgent({ ...options(admits), keepAlive });
  return connectorOf(admits, agent, httpRequest);
}

function connectorOf(
  admits: Connector['admits'],
  agent: (keepAlive: boolean) => Agent,
  request: typeof httpRequest | typeof httpsRequest,
): Connector {
  const [reusing, fresh] = [agent(true), agent(false)];
  return {
    admits,
    open: (url, isFresh) => request(url, { agent: isFresh ? fresh : reusing, method: 'POST' }),
    close: () => [reusing, fresh].forEach((each) => each.destroy()),
  };
}
