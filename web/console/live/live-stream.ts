import { hasErrorCode } from '../../shared/operation-error';
import type { EventStream, PageContext, StreamDependencies, StreamResponse } from '../page';
import type { Session } from '../request/cookies';
import type { EventFilter } from './event-filter';
import { followEvents } from './event-feed';
import { rowOf } from './event-rows';
import { readFigures } from './figures';
import { LISTED_EVENTS } from './latest-events';
import type { LiveEvent } from './operation-results';
import { pause } from './pause';

/** Events that arrive within this time are sent in one message. */
const EVENTS_INTERVAL_MS = 250;
const FIGURES_INTERVAL_MS = 5_000;

/**
 * The stream of a live page. Its messages are `events` (new rows of the list), `figures`, `connection` (whether events
 * arrive) and `ended` (the session is over). Each page has its own subscription at the gateway, with the session of its
 * viewer. A browser that is behind receives nothing; once it has caught up, it receives the latest state.
 */
export function liveMessages(context: PageContext, filter: EventFilter, after: string | undefined): StreamResponse {
  return {
    streamTo(stream, dependencies) {
      const { session } = context;
      if (session === undefined) return sendEnd(stream, { isSignedOut: false });
      sendEvents(stream, dependencies, session, { filter, after });
      void sendFigures(stream, dependencies, context);
    },
  };
}

/** Sends `ended` to a page, with the reason, and ends its stream. */
export function sendEnd(stream: EventStream, reason: { readonly isSignedOut: boolean }): void {
  stream.send({ event: 'ended', data: reason });
  stream.end();
}

/** Sends events in batches. For a browser that is behind, only the newest {@link LISTED_EVENTS} are retained. */
function sendEvents(
  stream: EventStream,
  { render, subscriptionsUrl }: StreamDependencies,
  { token }: Session,
  from: { filter: EventFilter; after: string | undefined },
): void {
  let unsent: LiveEvent[] = [];
  const flush = () => {
    const newest = unsent.at(-1);
    if (newest === undefined || stream.isBehind()) return;
    const rows = unsent.toReversed().map(rowOf);
    unsent = [];
    stream.send({ event: 'events', data: { html: render('parts/event-rows', { rows }) }, id: newest.cursor });
  };
  const reportConnection = connectionReporter(stream);
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
    connected: reportConnection,
  };
  void followEvents({ subscriptionsUrl, token, ...from }, listener, stream.closed).then(() => {
    if (!stream.closed.aborted) sendEnd(stream, { isSignedOut: false });
  });
}

/**
 * Returns a function that sends `connection` if the state differs from the last one sent and the browser is not behind.
 * A call without an argument sends a state that an earlier call could not send.
 */
function connectionReporter(stream: EventStream): (isConnected?: boolean) => void {
  let current: boolean | undefined;
  let sent: boolean | undefined;
  return (isConnected = current) => {
    current = isConnected;
    if (current === sent || stream.isBehind()) return;
    sent = current;
    stream.send({ event: 'connection', data: { isConnected: current } });
  };
}

/**
 * Sends the figures periodically. While the register is unavailable, nothing is sent and the page shows the last
 * figures.
 */
async function sendFigures(stream: EventStream, { render }: StreamDependencies, context: PageContext): Promise<void> {
  for (;;) {
    await pause(FIGURES_INTERVAL_MS, stream.closed);
    if (stream.closed.aborted) return;
    if (stream.isBehind()) continue;
    const figures = await readFigures(context).catch((error: unknown) => {
      if (hasErrorCode(error, 'AUT001', 'AUT002', 'PRM001')) sendEnd(stream, { isSignedOut: false });
    });
    if (stream.closed.aborted) return;
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
