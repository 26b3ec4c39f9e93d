import { once } from 'node:events';
import { type Client, createClient } from 'graphql-ws';
import { createClient as createEventClient } from 'graphql-sse';
import { WebSocket } from 'ws';
import { until } from './until';

/** The result for one event. */
export interface SubscriptionResult {
  readonly data: ReturnType<typeof JSON.parse>;
  readonly errors?: readonly SubscriptionError[];
}

/** An error of a result, or one that rejects a subscription. */
interface SubscriptionError {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions: { readonly code: string };
}

/** How a subscription ended: completed, rejected with errors, or its connection closed with a code and reason. */
export type Ending =
  | { readonly kind: 'complete' }
  | { readonly kind: 'errors'; readonly errors: readonly SubscriptionError[] }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string };

/** A subscription under test. */
export interface Subscriber {
  readonly messages: SubscriptionResult[];
  /** Waits for a number of results and returns them. */
  first(count: number): Promise<SubscriptionResult[]>;
  readonly ended: Promise<Ending>;
  stop(): Promise<void>;
}

/** A GraphQL subscription. */
export interface Subscription {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

/** Returns a connection of a `graphql-ws` client, which does not reconnect by itself. */
export function socketClient(gateway: string, token: string | undefined): Client {
  return createClient({
    url: `${gateway.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    ...(token === undefined ? {} : { connectionParams: { authorization: `Bearer ${token}` } }),
  });
}

/** Subscribes over WebSocket, on a new connection or the given one. */
export function overWebSocket(
  gateway: string,
  token: string | undefined,
  { query, variables = {} }: Subscription,
  client = socketClient(gateway, token),
): Subscriber {
  return subscriber(
    (sink) => client.subscribe({ query, variables }, sink),
    async () => client.dispose(),
  );
}

/** Subscribes by Server-Sent Events. */
export function overEvents(
  gateway: string,
  token: string | undefined,
  { query, variables = {} }: Subscription,
): Subscriber {
  const client = createEventClient({
    url: `${gateway}/graphql`,
    retryAttempts: 0,
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  });
  return subscriber(
    (sink) => client.subscribe({ query, variables }, sink as never),
    async () => client.dispose(),
  );
}

/** Opens a WebSocket whose messages the test writes itself, and authenticates it. */
export async function openSocket(url: string, token: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await once(socket, 'message');
  return socket;
}

/** Both transports, for tests of each. */
export const TRANSPORTS = [
  ['WebSocket', overWebSocket],
  ['Server-Sent Events', overEvents],
] as const;

/** Waits for the end of a subscription; returns the errors that rejected it or that its results contain. */
export async function errorsOf({ ended, messages }: Subscriber): Promise<readonly SubscriptionError[]> {
  const ending = await ended;
  return ending.kind === 'errors' ? ending.errors : messages.flatMap(({ errors = [] }) => errors);
}

/** The codes of these errors. */
export async function codesOf(rejected: Subscriber): Promise<string[]> {
  return (await errorsOf(rejected)).map(({ extensions }) => extensions.code);
}

interface Sink {
  next(messages: unknown): void;
  error(reason: unknown): void;
  complete(): void;
}

function subscriber(subscribe: (sink: Sink) => () => void, dispose: () => Promise<void>): Subscriber {
  const messages: SubscriptionResult[] = [];
  let end: (ending: Ending) => void;
  const ended = new Promise<Ending>((resolve) => {
    end = resolve;
  });
  const stop = subscribe({
    next: (each) => void messages.push(each as SubscriptionResult),
    error: (reason) => end(endingOf(reason)),
    complete: () => end({ kind: 'complete' }),
  });
  return {
    messages,
    ended,
    first: (count) => until(() => (messages.length >= count ? messages.slice(0, count) : undefined)),
    async stop() {
      stop();
      await dispose();
    },
  };
}

function endingOf(reason: unknown): Ending {
  if (Array.isArray(reason)) return { kind: 'errors', errors: reason as readonly SubscriptionError[] };
  const { code, reason: text, response } = reason as { code?: number; reason?: string; response?: Response };
  return { kind: 'closed', code: code ?? response?.status ?? 0, reason: text ?? String(reason) };
}
