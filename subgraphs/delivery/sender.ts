import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { isLoopbackAddress, isPublicAddress, literalAddress } from './addresses';
import type { Dispatch } from './delivery';
import { admittedLookup, blockedAddress, nameLookup } from './name-lookup';
import { retryAfterSeconds } from './retry-after';

/** Why a send failed: never a message, which might quote an address. */
export type SendError =
  'timeout' | 'blocked-address' | 'name-not-found' | 'tls' | 'connection' | 'redirect' | 'refused-status';

/** How a send ended: it is delivered if and only if `error` is null. */
export interface SendResult {
  /** Status of the answer; null without one. */
  readonly status: number | null;
  readonly error: SendError | null;
  readonly durationMs: number;
  /** What the receiver asked for with `Retry-After`. */
  readonly retryAfterSeconds: number | null;
}

/** Sends deliveries to the addresses of others. */
export interface Sender {
  /** Sends one, once; a failure is an answer, not an error. */
  send(dispatch: Dispatch): Promise<SendResult>;
  close(): void;
}

/** Where a sender may connect to. */
export interface SenderOptions {
  /** Receivers on this machine, by http too: in development only. */
  readonly allowLoopback: boolean;
  /** Name servers other than the system's. */
  readonly nameServers?: readonly string[];
  /** Milliseconds for a whole exchange, from looking up the name to the end of the answer: 10 seconds unless given. */
  readonly exchangeMs?: number;
}

const EXCHANGE = 10_000;
/** Milliseconds that an unused connection is kept: below what receivers keep theirs, so that none is used as it closes. */
const IDLE = 4_000;
/** Bytes and milliseconds that the body of an answer gets to end, so that its connection can be used again. */
const LONGEST_ANSWER = 65_536;
const ANSWER_END = 1_000;

interface Way {
  readonly admits: (address: string) => boolean;
  readonly open: (url: URL, headers: Readonly<Record<string, string>>) => ClientRequest;
  close(): void;
}

/**
 * The only place from which callback URLs are called (2-decisions-a-b.md, section 6). The address is checked as it is connected to,
 * certificates always are, redirects are never followed.
 */
export function callbackSender({ allowLoopback, nameServers, exchangeMs = EXCHANGE }: SenderOptions): Sender {
  const names = nameLookup(nameServers);
  const ownMachine = (address: string) => allowLoopback && isLoopbackAddress(address);
  const agentOptions = (admits: Way['admits']) => ({
    keepAlive: true,
    maxFreeSockets: 64,
    timeout: IDLE,
    allowPrivateIPAddress: allowLoopback, // which of them is decided by `admits`
    lookup: admittedLookup(names, admits),
  });
  const ways = new Map<string, Way>([
    ['https:', encrypted(agentOptions, (address) => isPublicAddress(address) || ownMachine(address))],
  ]);
  if (allowLoopback) ways.set('http:', plain(agentOptions, ownMachine));
  return {
    async send({ url, headers, body }) {
      const target = new URL(url);
      const way = ways.get(target.protocol);
      const literal = literalAddress(target);
      if (!way || (literal !== undefined && !way.admits(literal))) return BLOCKED;
      return exchange(
        () => way.open(target, { ...headers, 'content-length': `${Buffer.byteLength(body)}` }),
        body,
        exchangeMs,
      );
    },
    close: () => [names, ...ways.values()].forEach((each) => each.close()),
  };
}

const BLOCKED: SendResult = { status: null, error: 'blocked-address', durationMs: 0, retryAfterSeconds: null };
const failed = (error: SendError) => ({ status: null, error, retryAfterSeconds: null });

type AgentOptions = (admits: Way['admits']) => ConstructorParameters<typeof RequestFilteringHttpsAgent>[0];

/** Certificates are verified whatever the environment says (`NODE_TLS_REJECT_UNAUTHORIZED`). */
function encrypted(options: AgentOptions, admits: Way['admits']): Way {
  const agent = new RequestFilteringHttpsAgent({
    ...options(admits),
    rejectUnauthorized: true,
  });
  const open: Way['open'] = (url, headers) => httpsRequest(url, { agent, method: 'POST', headers });
  return { admits, open, close: () => agent.destroy() };
}

function plain(options: AgentOptions, admits: Way['admits']): Way {
  const agent = new RequestFilteringHttpAgent(options(admits));
  const open: Way['open'] = (url, headers) => httpRequest(url, { agent, method: 'POST', headers });
  return { admits, open, close: () => agent.destroy() };
}

/** One request and the head of its answer, within the time. */
function exchange(open: () => ClientRequest, body: string, exchangeMs: number): Promise<SendResult> {
  const began = performance.now();
  return new Promise((resolve) => {
    let answered: Omit<SendResult, 'durationMs'> | undefined;
    const outgoing = open();
    const end = (result: Omit<SendResult, 'durationMs'>) => {
      clearTimeout(deadline);
      resolve({ ...(answered ?? result), durationMs: Math.round(performance.now() - began) });
    };
    const deadline = setTimeout(() => {
      end(failed('timeout'));
      outgoing.destroy();
    }, exchangeMs);
    outgoing.on('error', (error) => end(failed(errorOf(error))));
    outgoing.on('close', () => end(failed('connection')));
    outgoing.on('response', (incoming) => {
      answered = answerOf(incoming);
      discard(incoming, () => outgoing.destroy());
    });
    outgoing.end(body);
  });
}

/** Lets the body of an answer pass by, as far as it is short and comes soon. */
function discard(incoming: IncomingMessage, giveUp: () => void): void {
  let bytes = 0;
  const tooLate = setTimeout(giveUp, ANSWER_END);
  incoming.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > LONGEST_ANSWER) giveUp();
  });
  incoming.on('error', giveUp);
  incoming.on('close', () => clearTimeout(tooLate));
}

function answerOf({ statusCode = 0, headers }: IncomingMessage): Omit<SendResult, 'durationMs'> {
  const error = statusCode >= 200 && statusCode < 300 ? null : refusalOf(statusCode);
  return { status: statusCode, error, retryAfterSeconds: retryAfterSeconds(headers['retry-after'], headers.date) };
}

const refusalOf = (status: number): SendError => (status >= 300 && status < 400 ? 'redirect' : 'refused-status');

const TLS =
  /^(ERR_TLS|ERR_SSL|EPROTO|CERT|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|HOSTNAME|INVALID_|CRL_|PATH_LENGTH|ERROR_IN)/;
const NAME = /^(ENOTFOUND|ENODATA|EAI_|ETIMEOUT|ESERVFAIL|EREFUSED|EBADNAME)/;

function errorOf({ code = '' }: NodeJS.ErrnoException): SendError {
  if (code === blockedAddress().code) return 'blocked-address';
  if (TLS.test(code)) return 'tls';
  return NAME.test(code) ? 'name-not-found' : 'connection';
}
