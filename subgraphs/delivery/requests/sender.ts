import { type Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
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
  /** Makes one attempt. Never rejects: a failure is a result. */
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
/** Time until an unused connection is closed: shorter than at usual receivers, so that few requests meet a closing one. */
const IDLE_MS = 4_000;
/** Bounds of a response body that is read, so that the connection can be reused; beyond them it is closed. */
const MAX_BODY_BYTES = 65_536;
const MAX_BODY_MS = 1_000;

/** Connections of one URL scheme. */
interface Connector {
  readonly admits: (address: string) => boolean;
  /** Opens a request, on a new connection if `isFresh`. */
  readonly open: (url: URL, headers: Readonly<Record<string, string>>, isFresh: boolean) => ClientRequest;
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
      return exchange((isFresh) => connector.open(target, allHeaders, isFresh), body, exchangeMs).catch(() => NOT_SENT);
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
  const agent = (keepAlive: boolean) =>
    new RequestFilteringHttpsAgent({ ...options(admits), keepAlive, rejectUnauthorized: true });
  return connectorOf(admits, agent, httpsRequest);
}

function plain(options: AgentOptions, admits: Connector['admits']): Connector {
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
    open: (url, headers, isFresh) => request(url, { agent: isFresh ? fresh : reusing, method: 'POST', headers }),
    close: () => [reusing, fresh].forEach((each) => each.destroy()),
  };
}

type Outcome = Omit<SendResult, 'durationMs'>;

/**
 * Sends a request, and sends it again on a new connection if the receiver closed a reused one while the request was on its way. Both end by
 * one deadline.
 */
async function exchange(
  open: (isFresh: boolean) => ClientRequest,
  body: string,
  exchangeMs: number,
): Promise<SendResult> {
  const startedAt = performance.now();
  const request = (isFresh: boolean) => sendOnce(() => open(isFresh), body, startedAt + exchangeMs - performance.now());
  const outcome = (await request(false)) ?? (await request(true)) ?? failed('connection');
  return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
}

/**
 * Sends a request; resolves when the exchange ends. Headers that arrive in time count even if their body does not end. Undefined if a reused
 * connection was closed before a byte of the response.
 */
function sendOnce(open: () => ClientRequest, body: string, remainingMs: number): Promise<Outcome | undefined> {
  return new Promise((resolve) => {
    let response: Outcome | undefined;
    let bytesBefore = 0;
    const outgoing = open();
    const end = (outcome: Outcome | undefined) => {
      clearTimeout(deadline);
      resolve(response ?? outcome);
    };
    const deadline = setTimeout(() => {
      end(failed('timeout'));
      outgoing.destroy();
    }, remainingMs);
    outgoing.on('socket', ({ bytesRead }) => void (bytesBefore = bytesRead));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isUnread = outgoing.reusedSocket && outgoing.socket?.bytesRead === bytesBefore;
      end(isUnread && CLOSED.test(error.code ?? '') ? undefined : failed(errorOf(error)));
    });
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

function responseOf({ statusCode = 0, headers }: IncomingMessage): Outcome {
  const error = statusCode >= 200 && statusCode < 300 ? null : statusError(statusCode);
  return { status: statusCode, error, retryAfterSeconds: retryAfterSeconds(headers['retry-after'], headers.date) };
}

const statusError = (status: number): SendError => (status >= 300 && status < 400 ? 'redirect' : 'refused-status');

const TLS =
  /^(ERR_TLS|ERR_SSL|EPROTO|CERT|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|HOSTNAME|INVALID_|CRL_|PATH_LENGTH|ERROR_IN)/;
/** Codes of a connection that the receiver has closed. */
const CLOSED = /^(ECONNRESET|EPIPE)$/;
const NAME = /^(ENOTFOUND|ENODATA|EAI_|ETIMEOUT|ESERVFAIL|EREFUSED|EBADNAME)/;

function errorOf({ code = '' }: NodeJS.ErrnoException): SendError {
  if (code === blockedAddress().code) return 'blocked-address';
  if (TLS.test(code)) return 'tls';
  return NAME.test(code) ? 'name-not-found' : 'connection';
}
