import { EVENT_TYPES, wireType } from '../live/event-types';
import { type EventFilter, filterOfQuery, queryOfFilter, unreadableDataUser } from '../live/event-filter';
import { rowOf } from '../live/event-rows';
import { type Figures, readFigures } from '../live/figures';
import { LISTED_EVENTS, readLatestEvents } from '../live/latest-events';
import { NEWEST, liveMessages } from '../live/live-stream';
import type { LiveEvent } from '../live/operation-results';
import { get } from '../page';

/** Shows the activity of the register: events per minute, the latest events, and the state of deliveries. */
export const livePage = get('/', async (context) => {
  const filter = filterOfQuery(context.query);
  const query = queryOfFilter(filter);
  const [{ events, after }, figures] = await Promise.all([readLatestEvents(context, filter), readFigures(context)]);
  return {
    view: 'live',
    model: {
      ...figures,
      rows: events.map(rowOf),
      listed: LISTED_EVENTS,
      filter: filterForm(filter, unreadableDataUser(context.query)),
      organisations: organisationsIn(events, figures),
      ownAddress: `/?${query}`,
      streamAddress: `/live/stream?${query}`,
      after,
    },
  };
});

/**
 * The messages that update a live page. A new page passes the cursor of its last event; a reconnecting one sends it as
 * `Last-Event-ID`. A page that was hidden for long requests the newest events.
 */
export const liveStream = get('/live/stream', (context) => {
  const { after, from } = context.query;
  const requested = typeof after === 'string' ? after : undefined;
  const start = context.lastEventId === undefined && from === 'newest' ? NEWEST : (context.lastEventId ?? requested);
  return liveMessages(context, filterOfQuery(context.query), start);
});

function filterForm({ types, duid }: EventFilter, unreadable: string | undefined) {
  return {
    types: EVENT_TYPES.map(({ name, wire, description }) => ({
      name,
      wire,
      description,
      isChosen: types.includes(name),
    })),
    duid: unreadable ?? duid ?? '',
    isUnreadable: unreadable !== undefined,
    chosen: types.map(wireType),
    isFiltered: types.length > 0 || duid !== undefined,
  };
}

/** Returns the organisations on the page, as suggestions for the filter. */
function organisationsIn(events: readonly LiveEvent[], { subscriptions }: Figures) {
  const names = new Map<string, string>(subscriptions.map(({ duid, dataUser }) => [duid, dataUser]));
  for (const { dataUser } of events) if (dataUser) names.set(dataUser.duid, dataUser.displayName);
  return [...names]
    .map(([duid, name]) => ({ duid, name }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}
