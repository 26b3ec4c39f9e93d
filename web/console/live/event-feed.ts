import type { Agent } from 'node:https';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { type EventFilter, filterVariables } from './event-filter';
import { pause } from './pause';
import type { SubscriptionsAddress } from '../page';
import type { LiveEvent } from './operation-results';

/** The subscription of the live page; it selects the same fields of an event as `readLiveEvents.graphql`. */
export const LIVE_EVENTS = `subscription LiveEvents($after: String, $types: [RegisterEventType!], $duid: DUID) {
  event: registerEvents(after: $after, types: $types, duid: $duid) {
    id cursor type occurredAt
    dataUser { duid displayName }
    transition { to }
    accessRecord { discoveredAccess { organisationName } }
    affectedRecordCount
    daysRemaining effectiveDate
  }
}`;

/** Session, filter and start of a feed. Without `after` it starts now; an empty `after` is the start of the log. */
interface FeedRequest {
  readonly subscriptions: SubscriptionsAddress;
  readonly token: string;
  readonly filter: EventFilter;
  readonly after: string | undefined;
}

/** Receives events and changes of the connection. */
interface FeedListener {
  event(event: LiveEvent): void;
  /**
   * Called when the connection to the gateway opens or is lost. While it is open, events arrive only if the gateway can read them: a service
   * or its database may be unavailable.
   */
  connected(isConnected: boolean): void;
}

/** Delay before the next connection attempt: doubled per attempt, reset by each event. */
const MIN_RETRY_DELAY_MS = 250;
const MAX_RETRY_DELAY_MS = 10_000;
/** Interval of pings, and time within which the gateway must respond to them. */
const PING_INTERVAL_MS = 10_000;
const RESPONSE_TIMEOUT_MS = 5_000;

/** Close codes of the gateway for a rejected session (graphql-transport-ws: Unauthorized, Forbidden). */
const SESSION_ENDED_CLOSE_CODES = new Set([4401, 4403]);
const SESSION_ENDED_CODES = new Set(['AUT001', 'AUT002', 'PRM001', 'PRM002']);
/** The log rejects the cursor: the database was restored to an earlier point in time. */
const UNKNOWN_CURSOR_CODES = new Set(['VAL001']);

/**
 * Follows the events of the register. Resolves when the signal is aborted or the register rejects the session. After a
 * lost connection it continues after the last received event; if the log no longer contains that event, it continues
 * with new events.
 */
export async function followEvents(request: FeedRequest, listener: FeedListener, end: AbortSignal): Promise<void> {
  let after = request.after;
  let delayMs = MIN_RETRY_DELAY_MS;
  const recording: FeedListener = {
    connected: (isConnected) => listener.connected(isConnected),
    event(event) {
      after = event.cursor;
      delayMs = MIN_RETRY_DELAY_MS;
      listener.event(event);
    },
  };
  while (!end.aborted) {
    const failure = await follow({ ...request, after }, recording, end);
    if (end.aborted || hasCode(failure, SESSION_ENDED_CODES) || isEndOfSession(failure)) return;
    if (hasCode(failure, UNKNOWN_CURSOR_CODES)) after = undefined;
    listener.connected(false);
    await pause(delayMs, end);
    delayMs = Math.min(delayMs * 2, MAX_RETRY_DELAY_MS);
  }
}

/** Follows events over one connection. Returns why the connection ended. */
async function follow(
  { after, filter, ...connectionOptions }: FeedRequest,
  listener: FeedListener,
  end: AbortSignal,
): Promise<unknown> {
  const client = connection(connectionOptions, () => listener.connected(true));
  const stop = () => void Promise.resolve(client.dispose()).catch(() => undefined); // the connection was never open
  end.addEventListener('abort', stop);
  const variables = { after: after ?? null, ...filterVariables(filter) };
  try {
    for await (const { data, errors } of client.iterate<{ event: LiveEvent }>({ query: LIVE_EVENTS, variables })) {
      if (errors) return errors;
      if (data) listener.event(data.event);
    }
    return undefined;
  } catch (failure) {
    return failure;
  } finally {
    end.removeEventListener('abort', stop);
  }
}

/**
 * Returns a client that connects at its first subscription and drops a connection on which the gateway does not respond
 * to pings.
 */
function connection(
  { subscriptions, token }: Pick<FeedRequest, 'subscriptions' | 'token'>,
  connected: () => void,
): Client {
  let pongTimeout: NodeJS.Timeout | undefined;
  const client = createClient({
    url: subscriptions.url,
    webSocketImpl: socketsOver(subscriptions.agent),
    connectionParams: { authorization: `Bearer ${token}` },
    connectionAckWaitTimeout: RESPONSE_TIMEOUT_MS,
    retryAttempts: 0,
    keepAlive: PING_INTERVAL_MS,
    on: {
      connected,
      ping: (isReceived) => {
        if (!isReceived) pongTimeout = setTimeout(() => client.terminate(), RESPONSE_TIMEOUT_MS);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(pongTimeout);
      },
      closed: () => clearTimeout(pongTimeout),
    },
  });
  return client;
}

/**
 * Returns the class of sockets over an agent. `ws` emits an error when a socket is closed before it is open; without a listener it would
 * end the process.
 */
function socketsOver(agent: Agent | undefined): unknown {
  return class extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols, agent && { agent });
      this.on('error', () => undefined);
    }
  };
}

/** Returns whether the subscription failed with one of these codes. */
function hasCode(failure: unknown, codes: ReadonlySet<string>): boolean {
  if (!Array.isArray(failure)) return false;
  return failure.some((error: { extensions?: { code?: unknown } }) => codes.has(String(error.extensions?.code)));
}

/** Returns whether the gateway closed the connection because it rejects the session. */
function isEndOfSession(failure: unknown): boolean {
  return SESSION_ENDED_CLOSE_CODES.has(Number((failure as { code?: unknown } | undefined)?.code));
}
