import type { PageContext } from '../page';
import { type EventFilter, filterVariables } from './event-filter';

/** Number of events in the list. */
export const LISTED_EVENTS = 50;

/**
 * Reads the newest events, newest first. The cursor is read before the events, so that an event in between arrives
 * twice rather than never; the page drops duplicates by event id.
 */
export async function readLatestEvents({ executeAsAccount }: PageContext, filter: EventFilter) {
  const { newest } = await executeAsAccount('ReadLiveStart');
  const { events } = await executeAsAccount('ReadLiveEvents', {
    first: LISTED_EVENTS,
    ...filterVariables(filter),
  });
  return { events, after: newest[0]?.cursor ?? '' }; // empty: a stream starts at the beginning of the log
}
