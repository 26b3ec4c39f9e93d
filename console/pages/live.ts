import { EVENT_TYPES, wireType } from '../live/event-types';
import { type EventFilter, filterOfQuery, queryOfFilter, unreadableDataUser } from '../live/event-filter';
import { rowOf } from '../live/event-rows';
import { type Figures, readFigures } from '../live/figures';
import { LISTED_EVENTS, readLatestEvents } from '../live/latest-events';
import { liveMessages } from '../live/live-stream';
import type { LiveEvent } from '../live/register-answers';
import type { Page } from '../page';

/** What happens in the register now: events per minute, the latest events, how deliveries fare. */
export const livePage: Page = {
  method: 'GET',
  path: '/',
  async answer(visit) {
    const filter = filterOfQuery(visit.query);
    const query = queryOfFilter(filter);
    const [{ events, after }, figures] = await Promise.all([readLatestEvents(visit, filter), readFigures(visit)]);
    return {
      view: 'live',
      model: {
        ...figures,
        rows: events.map(rowOf),
        listed: LISTED_EVENTS,
        filter: filterForm(filter, unreadableDataUser(visit.query)),
        organisations: organisationsIn(events, figures),
        ownAddress: `/?${query}`,
        streamAddress: `/live/stream?${query}`,
        after,
      },
    };
  },
};

/** The messages that keep a live page up to date. A page that opens says from where on; one whose stream broke goes on after the last. */
export const liveStream: Page = {
  method: 'GET',
  path: '/live/stream',
  answer(visit) {
    const { after } = visit.query;
    const asked = typeof after === 'string' ? after : undefined;
    return liveMessages(visit, filterOfQuery(visit.query), visit.lastEventId ?? asked);
  },
};

function filterForm({ types, duid }: EventFilter, unreadable: string | undefined) {
  return {
    types: EVENT_TYPES.map(({ name, wire, tells }) => ({ name, wire, tells, isChosen: types.includes(name) })),
    duid: unreadable ?? duid ?? '',
    isUnreadable: unreadable !== undefined,
    chosen: types.map(wireType),
    isFiltered: types.length > 0 || duid !== undefined,
  };
}

/** Organisations that the page shows: those that somebody may want to filter by. */
function organisationsIn(events: readonly LiveEvent[], { subscriptions }: Figures) {
  const names = new Map<string, string>(subscriptions.map(({ duid, dataUser }) => [duid, dataUser]));
  for (const { dataUser } of events) if (dataUser) names.set(dataUser.duid, dataUser.displayName);
  return [...names]
    .map(([duid, name]) => ({ duid, name }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}
