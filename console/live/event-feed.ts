import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { type EventFilter, filterVariables } from './event-filter';
import { pause } from './pause';
import type { LiveEvent } from './register-answers';

/** The subscription of the live page: what `readLiveEvents.graphql` selects of each event. */
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

/** Whose events are followed, which, and from where on: without `after` from now on, with an empty one from the beginning of the log. */
export interface FeedRequest {
  readonly subscriptionsUrl: string;
  readonly token: string;
  readonly filter: EventFilter;
  readonly after: string | undefined;
}

/** Who is told. */
export interface FeedListener {
  event(event: LiveEvent): void;
  /** Whether the register's events arrive; told when it changes. */
  connected(isConnected: boolean): void;
}

/** Milliseconds before the gateway is tried again: doubled until events arrive. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;
/** Milliseconds between signs of life, and those until one must be answered. */
const KEEP_ALIVE = 10_000;
const ANSWER_WITHIN = 5_000;

/** Close codes of a gateway that does not admit the session (graphql-transport-ws: unauthorized, forbidden). */
const SESSION_ENDED = new Set([4401, 4403]);
const REFUSED = new Set(['AUT001', 'AUT002', 'PRM001', 'PRM002']);
/** The log has no place that it had: its database was recovered to an earlier instant. */
const UNKNOWN_PLACE = new Set(['VAL001']);

/**
 * Follows the events of the register until the signal ends it, or the register no longer admits the session: then it resolves. When the
 * gateway goes, it goes on after the last event that arrived; where the log has lost that, with what happens from now on.
 */
export async function followEvents(request: FeedRequest, listener: FeedListener, end: AbortSignal): Promise<void> {
  let after = request.after;
  let wait = FIRST_WAIT;
  const noting: FeedListener = {
    connected: (isConnected) => listener.connected(isConnected),
    event(event) {
      after = event.cursor;
      wait = FIRST_WAIT;
      listener.event(event);
    },
  };
  while (!end.aborted) {
    const fault = await follow({ ...request, after }, noting, end);
    if (end.aborted || tells(fault, REFUSED) || isEndOfSession(fault)) return;
    if (tells(fault, UNKNOWN_PLACE)) after = undefined;
    listener.connected(false);
    await pause(wait, end);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
}

/** Follows by one connection; answers why it ended. */
async function follow(
  { after, filter, ...place }: FeedRequest,
  listener: FeedListener,
  end: AbortSignal,
): Promise<unknown> {
  const client = connection(place, () => listener.connected(true));
  const stop = () => void Promise.resolve(client.dispose()).catch(() => undefined); // it was never open
  end.addEventListener('abort', stop);
  const variables = { after: after ?? null, ...filterVariables(filter) };
  try {
    for await (const { data, errors } of client.iterate<{ event: LiveEvent }>({ query: LIVE_EVENTS, variables })) {
      if (errors) return errors;
      if (data) listener.event(data.event);
    }
    return undefined;
  } catch (fault) {
    return fault;
  } finally {
    end.removeEventListener('abort', stop);
  }
}

/** A connection to the gateway, opened by its first subscription; one that is silent for too long counts as broken. */
function connection(
  { subscriptionsUrl, token }: Pick<FeedRequest, 'subscriptionsUrl' | 'token'>,
  connected: () => void,
): Client {
  let silence: NodeJS.Timeout | undefined;
  const client = createClient({
    url: subscriptionsUrl,
    webSocketImpl: RegisterSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    connectionAckWaitTimeout: ANSWER_WITHIN,
    retryAttempts: 0,
    keepAlive: KEEP_ALIVE,
    on: {
      connected,
      ping: (isReceived) => {
        if (!isReceived) silence = setTimeout(() => client.terminate(), ANSWER_WITHIN);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(silence);
      },
      closed: () => clearTimeout(silence),
    },
  });
  return client;
}

/** Ending a socket before it is open is an error to `ws`, of which nobody needs to be told any more. */
class RegisterSocket extends WebSocket {
  constructor(address: string | URL, protocols?: string | string[]) {
    super(address, protocols);
    this.on('error', () => undefined);
  }
}

/** Whether the register answers the subscription with one of these codes. */
function tells(fault: unknown, codes: ReadonlySet<string>): boolean {
  if (!Array.isArray(fault)) return false;
  return fault.some((error: { extensions?: { code?: unknown } }) => codes.has(String(error.extensions?.code)));
}

/** Whether the register has closed the connection, since it does not admit the session. */
function isEndOfSession(fault: unknown): boolean {
  return SESSION_ENDED.has(Number((fault as { code?: unknown } | undefined)?.code));
}
