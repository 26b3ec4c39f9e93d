import { hasErrorCode } from '../../shared/operation-error';
import type { EventStream, PageContext, StreamDependencies, StreamResponse } from '../page';
import type { Session } from '../request/cookies';
import type { EventFilter } from './event-filter';
import { followEvents } from './event-feed';
import { rowOf } from './event-rows';
import { readFigures } from './figures';
import { LISTED_EVENTS, readLatestEvents } from './latest-events';
import type { LiveEvent } from './operation-results';
import { pause } from './pause';

/** Events that arrive within this time are sent in one message. */
const EVENTS_INTERVAL_MS = 250;
const FIGURES_INTERVAL_MS = 5_000;

/** The start of a stream that sends the newest events first. */
export const NEWEST = Symbol('newest events');

/**
 * The stream of a live page. Its messages are `events` (new rows of the list), `figures`, `connection` (whether events
 * and figures arrive) and `ended` (the session is over). Each page has its own subscription at the gateway, with the session of its
 * viewer. A browser that is behind receives nothing; once it has caught up, it receives the latest state.
 *
 * @param start the cursor after which the events start; undefined for new ones only
 */
export function liveMessages(
  context: PageContext,
  filter: EventFilter,
  start: string | typeof NEWEST | undefined,
): StreamResponse {
  return {
    streamTo(stream, dependencies) {
      const { session } = context;
      if (session === undefined) return sendEnd(stream, { isSignedOut: false });
      const reportConnection = connectionReporter(stream);
      const follow = (after: string | undefined) => {
        if (!stream.closed.aborted) sendEvents(stream, dependencies, session, { filter, after }, reportConnection);
      };
      if (start === NEWEST) void sendNewest(stream, dependencies, context, filter).then(follow, endOnError(stream));
      else follow(start);
      void sendFigures(stream, dependencies, context, reportConnection);
    },
  };
}

/** Ends the live pages of a session that a sign-out or another sign-in has ended. */
export function endLivePages(streams: readonly EventStream[]): void {
  for (const stream of streams) sendEnd(stream, { isSignedOut: true });
}

/** Sends `ended` to a page, with the reason, and ends its stream. */
function sendEnd(stream: EventStream, reason: { readonly isSignedOut: boolean }): void {
  stream.send({ event: 'ended', data: reason });
  stream.end();
}

/** Sends the newest events; returns the cursor after which the stream continues. */
async function sendNewest(
  stream: EventStream,
  { render }: StreamDependencies,
  context: PageContext,
  filter: EventFilter,
): Promise<string> {
  const latest = await readLatestEvents(context, filter);
  const html = render('parts/event-rows', { rows: latest.events.map(rowOf) });
  stream.send({ event: 'events', data: { html }, id: latest.after });
  return latest.after;
}

/** Returns the handler of a failed read: the page shows that the session is over, or opens the stream again. */
const endOnError = (stream: EventStream) => (error: unknown) =>
  isEndOfSession(error) ? sendEnd(stream, { isSignedOut: false }) : stream.end();

function isEndOfSession(error: unknown): boolean {
  return hasErrorCode(error, 'AUT001', 'AUT002', 'PRM001');
}

/** Sends events in batches. For a browser that is behind, only the newest {@link LISTED_EVENTS} are retained. */
function sendEvents(
  stream: EventStream,
  { render, subscriptions }: StreamDependencies,
  { token }: Session,
  from: { filter: EventFilter; after: string | undefined },
  reportConnection: ConnectionReporter,
): void {
  let unsent: LiveEvent[] = [];
  const flush = () => {
    const newest = unsent.at(-1);
    if (newest === undefined || stream.isBehind()) return;
    const rows = unsent.toReversed().map(rowOf);
    unsent = [];
    stream.send({ event: 'events', data: { html: render('parts/event-rows', { rows }) }, id: newest.cursor });
  };
  const timer = setInterval(() => {
    reportConnection();
    flush();
  }, EVENTS_INTERVAL_MS);
  stream.closed.addEventListener('abort', () => clearInterval(timer));
  const listener = {
    event(event: LiveEvent) {
      unsent.push(event);
      if (unsent.length > LISTED_EVENTS) unsent.shift();
    },
    connected: (hasEvents: boolean) => reportConnection({ hasEvents }),
  };
  void followEvents({ subscriptions, token, ...from }, listener, stream.closed).then(() => {
    if (!stream.closed.aborted) sendEnd(stream, { isSignedOut: false });
  });
}

/** Reports whether the connection for events is open, and whether the last read of figures succeeded. */
type ConnectionReporter = (change?: { readonly hasEvents?: boolean; readonly hasFigures?: boolean }) => void;

/**
 * Returns a function that sends `connection` if the state differs from the last one sent and the browser is not behind.
 * A call without an argument sends a state that an earlier call could not send.
 */
function connectionReporter(stream: EventStream): ConnectionReporter {
  let hasEvents: boolean | undefined;
  let hasFigures = true; // those of the page
  let sent: boolean | undefined;
  return (change = {}) => {
    ({ hasEvents, hasFigures } = { hasEvents, hasFigures, ...change });
    const isConnected = hasFigures && hasEvents;
    if (isConnected === sent || stream.isBehind()) return;
    sent = isConnected;
    stream.send({ event: 'connection', data: { isConnected } });
  };
}

/**
 * Sends the figures periodically. While they cannot be read, the page shows the last ones, and that they are not the current ones: also
 * events do not arrive while `access` is unavailable, although the connection to the gateway is open.
 */
async function sendFigures(
  stream: EventStream,
  { render }: StreamDependencies,
  context: PageContext,
  reportConnection: ConnectionReporter,
): Promise<void> {
  for (;;) {
    await pause(FIGURES_INTERVAL_MS, stream.closed);
    if (stream.closed.aborted) return;
    if (stream.isBehind()) continue;
    const figures = await readFigures(context).catch((error: unknown) => {
      if (isEndOfSession(error)) sendEnd(stream, { isSignedOut: false });
    });
    if (stream.closed.aborted) return;
    reportConnection({ hasFigures: figures !== undefined });
    if (figures) stream.send({ event: 'figures', data: figuresMessage(figures, render) });
  }
}

function figuresMessage(figures: Awaited<ReturnType<typeof readFigures>>, render: StreamDependencies['render']) {
  return {
    perMinute: figures.perMinute,
    figures: render('parts/figures', { ...figures }),
    legend: render('parts/legend', { ...figures }),
    minutes: render('parts/minutes', { ...figures }),
    subscriptions: render('parts/subscriptions', { ...figures }),
  };
}
