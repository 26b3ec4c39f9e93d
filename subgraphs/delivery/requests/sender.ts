import type { ClientRequest, IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { isLoopbackAddress, isPublicAddress, literalAddress } from '../../server/outgoing/addresses';
import type { Dispatch } from '../delivery';
import { admittedLookup, blockedAddress, nameLookup } from '../../server/outgoing/name-lookup';
import { type Connector, encrypted, plain } from './connector';
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

/** Returns the request that is sent at this time; undefined if none is. */
export type CurrentDispatch = () => Promise<Dispatch | undefined>;

/** Sends requests to callback URLs. */
export interface Sender {
  /**
   * Makes one attempt. Never rejects: a failure is a result. Writes the request at once on a kept connection, and on a new one what `current`
   * returns once it is established; if that is undefined or has another URL, writes nothing and resolves to undefined.
   */
  send(dispatch: Dispatch, current?: CurrentDispatch): Promise<SendResult | undefined>;
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
    async send(dispatch, current = () => Promise.resolve(dispatch)) {
      const target = new URL(dispatch.url);
      const connector = connectors.get(target.protocol);
      const literal = literalAddress(target);
      if (!connector || (literal !== undefined && !connector.admits(literal))) return BLOCKED;
      const content: Content = async (isReused) => {
        if (isReused) return dispatch;
        const latest = await current();
        return latest?.url === dispatch.url ? latest : undefined;
      };
      return exchange((isFresh) => connector.open(target, isFresh), content, exchangeMs).catch(() => NOT_SENT);
    },
    close: () => [names, ...connectors.values()].forEach((each) => each.close()),
  };
}

const BLOCKED: SendResult = { status: null, error: 'blocked-address', durationMs: 0, retryAfterSeconds: null };
/** Result of a request that Node rejects. */
const NOT_SENT: SendResult = { status: null, error: 'connection', durationMs: 0, retryAfterSeconds: null };
const failed = (error: SendError) => ({ status: null, error, retryAfterSeconds: null });

type Outcome = Omit<SendResult, 'durationMs'>;
/** Returns what is written to a kept connection, or to a new one that is established; undefined if nothing is. */
type Content = (isReused: boolean) => Promise<Dispatch | undefined>;
/** Ends without a result: a reused connection was closed before a byte of the response, or nothing is to be sent. */
type Unsent = 'closed' | 'withdrawn';

/**
 * Sends a request, and sends it again on a new connection if the receiver closed a reused one while the request was on its way. Both end by
 * one deadline.
 */
async function exchange(
  open: (isFresh: boolean) => ClientRequest,
  content: Content,
  exchangeMs: number,
): Promise<SendResult | undefined> {
  const startedAt = performance.now();
  const request = (isFresh: boolean) =>
    sendOnce(() => open(isFresh), content, startedAt + exchangeMs - performance.now());
  let outcome = await request(false);
  if (outcome === 'closed') outcome = await request(true);
  if (outcome === 'withdrawn') return undefined;
  const result = outcome === 'closed' ? failed('connection') : outcome;
  return { ...result, durationMs: Math.round(performance.now() - startedAt) };
}

/** Sends a request; resolves when the exchange ends. Headers that arrive in time count even if their body does not end. */
function sendOnce(open: () => ClientRequest, content: Content, remainingMs: number): Promise<Outcome | Unsent> {
  return new Promise((resolve) => {
    let response: Outcome | undefined;
    let bytesBefore = 0;
    const outgoing = open();
    const end = (outcome: Outcome | Unsent) => {
      clearTimeout(deadline);
      resolve(response ?? outcome);
    };
    const abort = (outcome: Outcome | Unsent) => {
      end(outcome);
      outgoing.destroy();
    };
    const deadline = setTimeout(() => abort(failed('timeout')), remainingMs);
    const write = async () => {
      const dispatch = await content(outgoing.reusedSocket);
      if (dispatch === undefined) return abort('withdrawn');
      if (!outgoing.destroyed) writeTo(outgoing, dispatch);
    };
    outgoing.on('socket', (socket) => {
      bytesBefore = socket.bytesRead;
      // A header with a line break is an error of `write`.
      const ready = () => void write().catch(() => abort(failed('connection')));
      if (outgoing.reusedSocket) ready();
      else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', ready);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isUnread = outgoing.reusedSocket && outgoing.socket?.bytesRead === bytesBefore;
      end(isUnread && CLOSED.test(error.code ?? '') ? 'closed' : failed(errorOf(error)));
    });
    outgoing.on('close', () => end(failed('connection')));
    outgoing.on('response', (incoming) => {
      response = responseOf(incoming);
      discard(incoming, () => outgoing.destroy());
    });
  });
}

function writeTo(outgoing: ClientRequest, { headers, body }: Dispatch): void {
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  outgoing.setHeader('content-length', Buffer.byteLength(body));
  outgoing.end(body);
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
