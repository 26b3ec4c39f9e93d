import { isRefusal } from '../../web/register-refusal';
import type { Outlet, Stream, StreamParts, Visit } from '../page';
import type { Session } from '../request/cookies';
import type { EventFilter } from './event-filter';
import { followEvents } from './event-feed';
import { rowOf } from './event-rows';
import { readFigures } from './figures';
import { LISTED_EVENTS } from './latest-events';
import { pause } from './pause';
import type { LiveEvent } from './register-answers';

/** Milliseconds for which events are gathered before the page gets them together. */
const GATHERED_FOR = 250;
/** Milliseconds between figures. */
const FIGURES_EVERY = 5_000;

/**
 * The stream of a live page: `events` (rows of the list), `figures`, `connection` (whether events arrive), `ended` (nobody is signed in
 * any more). Each page has its own subscription at the gateway, with the session of whoever looks at it. To a browser that is behind
 * nothing is written: it gets the newest of each when it has taken what was sent.
 */
export function liveMessages(visit: Visit, filter: EventFilter, after: string | undefined): Stream {
  return {
    stream(outlet, parts) {
      const { session } = visit;
      if (session === undefined) return tellEnd(outlet, { isSignedOut: false });
      sendEvents(outlet, parts, session, { filter, after });
      void sendFigures(outlet, parts, visit);
    },
  };
}

/** Tells a page that nobody is signed in any more, and ends its stream. */
export function tellEnd(outlet: Outlet, how: { readonly isSignedOut: boolean }): void {
  outlet.send({ event: 'ended', data: how });
  outlet.end();
}

/** Sends events as they come; a browser that is behind gets the newest, as many as its list shows. */
function sendEvents(
  outlet: Outlet,
  { render, subscriptionsUrl }: StreamParts,
  { token }: Session,
  from: { filter: EventFilter; after: string | undefined },
): void {
  let gathered: LiveEvent[] = [];
  const flush = () => {
    const newest = gathered.at(-1);
    if (newest === undefined || outlet.isBehind()) return;
    const rows = gathered.toReversed().map(rowOf);
    gathered = [];
    outlet.send({ event: 'events', data: { html: render('parts/event-rows', { rows }) }, id: newest.cursor });
  };
  const tellConnection = connectionNews(outlet);
  const turns = setInterval(() => {
    tellConnection();
    flush();
  }, GATHERED_FOR);
  outlet.gone.addEventListener('abort', () => clearInterval(turns));
  const listener = {
    event(event: LiveEvent) {
      gathered.push(event);
      if (gathered.length > LISTED_EVENTS) gathered.shift();
    },
    connected: tellConnection,
  };
  void followEvents({ subscriptionsUrl, token, ...from }, listener, outlet.gone).then(() => {
    if (!outlet.gone.aborted) tellEnd(outlet, { isSignedOut: false });
  });
}

/** Tells whether events arrive, when that has changed since it was told last; without an argument, what could not be told then. */
function connectionNews(outlet: Outlet): (isConnected?: boolean) => void {
  let present: boolean | undefined;
  let told: boolean | undefined;
  return (isConnected = present) => {
    present = isConnected;
    if (present === told || outlet.isBehind()) return;
    told = present;
    outlet.send({ event: 'connection', data: { isConnected: present } });
  };
}

/** Sends the figures again and again. While the register does not answer, the page keeps those that it has. */
async function sendFigures(outlet: Outlet, { render }: StreamParts, visit: Visit): Promise<void> {
  for (;;) {
    await pause(FIGURES_EVERY, outlet.gone);
    if (outlet.gone.aborted) return;
    if (outlet.isBehind()) continue;
    const figures = await readFigures(visit).catch((error: unknown) => {
      if (isRefusal(error, 'AUT001', 'AUT002', 'PRM001')) tellEnd(outlet, { isSignedOut: false });
    });
    if (outlet.gone.aborted) return;
    if (figures) outlet.send({ event: 'figures', data: figuresMessage(figures, render) });
  }
}

function figuresMessage(figures: Awaited<ReturnType<typeof readFigures>>, render: StreamParts['render']) {
  return {
    perMinute: figures.perMinute,
    figures: render('parts/figures', { ...figures }),
    legend: render('parts/legend', { ...figures }),
    minutes: render('parts/minutes', { ...figures }),
    subscriptions: render('parts/subscriptions', { ...figures }),
  };
}
