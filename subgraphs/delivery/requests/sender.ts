import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { isLoopbackAddress, isPublicAddress, literalAddress } from '../../server/outgoing/addresses';
import type { Dispatch } from '../delivery';
import { admittedLookup, blockedAddress, nameLookup } from '../../server/outgoing/name-lookup';
import { retryAfterSeconds } from './retry-after';

/** Kind of failure. Messages of errors are not stored, because they may contain an address. */
type SendError =
  'timeout' | 'blocked-address' | 'name-not-found' | 'tls' | 'connection' | 'redirect' | 'refused-status';

/** Result of a request. The delivery succeeded if and only if `error` is null. */
export interface SendResult {
  /** Status of the response; null without one. */
  readonly status: number | null;
  readonly error: SendError | null;
  readonly durationMs: number;
  /** Value of `Retry-After` in the response. */
  readonly retryAfterSeconds: number | null;
}

/** Sends requests to callback URLs. */
export interface Sender {
  /** Sends one request, without retries. Never rejects: a failure is a result. */
  send(dispatch: Dispatch): Promise<SendResult>;
  close(): void;
}

/** Options of a sender. */
interface SenderOptions {
  /** Allows receivers on this machine, also over http: for development only. */
  readonly allowLoopback: boolean;
  /** Name servers instead of those of the system. */
  readonly nameServers?: readonly string[];
  /** Timeout of an exchange, from the lookup of the name to the end of the response; 10 s by default. */
  readonly exchangeMs?: number;
}

const EXCHANGE_MS = 10_000;
/** Time until an unused connection is closed: shorter than at usual receivers, so that no request meets a closing one. */
const IDLE_MS = 4_000;
/** Bounds of a response body that is read, so that the connection can be reused; beyond them it is closed. */
const MAX_BODY_BYTES = 65_536;
const MAX_BODY_MS = 1_000;

/** Connections of one URL scheme. */
interface Connector {
  readonly admits: (address: string) => boolean;
  readonly open: (url: URL, headers: Readonly<Record<string, string>>) => ClientRequest;
  close(): void;
}

/**
 * Returns the sender. No other code sends requests to callback URLs (decisions A/B, 6). It checks the address of each
 * connection, verifies certificates, and follows no redirects.
 */
export function callbackSender({ allowLoopback, nameServers, exchangeMs = EXCHANGE_MS }: SenderOptions): Sender {
  const names = nameLookup(nameServers);
  const isAllowedLoopback = (address: string) => allowLoopback && isLoopbackAddress(address);
  const agentOptions = (admits: Connector['admits']) => ({
    keepAlive: true,
    maxFreeSockets: 64,
    timeout: IDLE_MS,
    allowPrivateIPAddress: allowLoopback, // `admits` decides which of them
    lookup: admittedLookup(names, admits),
  });
  const connectors = new Map<string, Connector>([
    ['https:', encrypted(agentOptions, (address) => isPublicAddress(address) || isAllowedLoopback(address))],
  ]);
  if (allowLoopback) connectors.set('http:', plain(agentOptions, isAllowedLoopback));
  return {
    async send({ url, headers, body }) {
      const target = new URL(url);
      const connector = connectors.get(target.protocol);
      const literal = literalAddress(target);
      if (!connector || (literal !== undefined && !connector.admits(literal))) return BLOCKED;
      const allHeaders = { ...headers, 'content-length': `${Buffer.byteLength(body)}` };
      return exchange(() => connector.open(target, allHeaders), body, exchangeMs).catch(() => NOT_SENT);
    },
    close: () => [names, ...connectors.values()].forEach((each) => each.close()),
  };
}

const BLOCKED: SendResult = { status: null, error: 'blocked-address', durationMs: 0, retryAfterSeconds: null };
/** Result of a request that Node rejects, such as one with a line break in a header. */
const NOT_SENT: SendResult = { status: null, error: 'connection', durationMs: 0, retryAfterSeconds: null };
const failed = (error: SendError) => ({ status: null, error, retryAfterSeconds: null });

type AgentOptions = (admits: Connector['admits']) => ConstructorParameters<typeof RequestFilteringHttpsAgent>[0];

/** Verifies certificates, regardless of `NODE_TLS_REJECT_UNAUTHORIZED`. */
function encrypted(options: AgentOptions, admits: Connector['admits']): Connector {
  const agent = new RequestFilteringHttpsAgent({
    ...options(admits),
    rejectUnauthorized: true,
  });
  const open: Connector['open'] = (url, headers) => httpsRequest(url, { agent, method: 'POST', headers });
  return { admits, open, close: () => agent.destroy() };
}

function plain(options: AgentOptions, admits: Connector['admits']): Connector {
  const agent = new RequestFilteringHttpAgent(options(admits));
  const open: Connector['open'] = (url, headers) => httpRequest(url, { agent, method: 'POST', headers });
  return { admits, open, close: () => agent.destroy() };
}

/** Sends a request; resolves when the exchange ends. Headers that arrive in time count even if their body does not end. */
function exchange(open: () => ClientRequest, body: string, exchangeMs: number): Promise<SendResult> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let response: Omit<SendResult, 'durationMs'> | undefined;
    const outgoing = open();
    const end = (result: Omit<SendResult, 'durationMs'>) => {
      clearTimeout(deadline);
      resolve({ ...(response ?? result), durationMs: Math.round(performance.now() - startedAt) });
    };
    const deadline = setTimeout(() => {
      end(failed('timeout'));
      outgoing.destroy();
    }, exchangeMs);
    outgoing.on('error', (error) => end(failed(errorOf(error))));
    outgoing.on('close', () => end(failed('connection')));
    outgoing.on('response', (incoming) => {
      response = responseOf(incoming);
      discard(incoming, () => outgoing.destroy());
    });
    outgoing.end(body);
  });
}

/** Reads and ignores a response body; closes the connection of one that exceeds the bounds. */
function discard(incoming: IncomingMessage, close: () => void): void {
  let bytes = 0;
  const tooLate = setTimeout(close, MAX_BODY_MS);
  incoming.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > MAX_BODY_BYTES) close();
  });
  incoming.on('error', close);
  incoming.on('close', () => clearTimeout(tooLate));
}

function responseOf({ statusCode = 0, headers }: IncomingMessage): Omit<SendResult, 'durationMs'> {
  const error = statusCode >= 200 && statusCode < 300 ? null : statusError(statusCode);
  return { status: statusCode, error, retryAfterSeconds: retryAfterSeconds(headers['retry-after'], headers.date) };
}

const statusError = (status: number): SendError => (status >= 300 && status < 400 ? 'redirect' : 'refused-status');

const TLS =
  /^(ERR_TLS|ERR_SSL|EPROTO|CERT|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|HOSTNAME|INVALID_|CRL_|PATH_LENGTH|ERROR_IN)/;
const NAME = /^(ENOTFOUND|ENODATA|EAI_|ETIMEOUT|ESERVFAIL|EREFUSED|EBADNAME)/;

function errorOf({ code = '' }: NodeJS.ErrnoException): SendError {
  if (code === blockedAddress().code) return 'blocked-address';
  if (TLS.test(code)) return 'tls';
  return NAME.test(code) ? 'name-not-found' : 'connection';
}
