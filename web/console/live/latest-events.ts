import type { PageContext } from '../page';
import { type EventFilter, filterVariables } from './event-filter';
import type { LiveEvent } from './operation-results';

/** Number of events in the list. */
export const LISTED_EVENTS = 50;

/** The newest events, and the cursor after which a stream continues. */
interface LatestEvents {
  readonly events: readonly LiveEvent[];
  /** Empty if the log is empty: the stream then starts at the beginning of the log. */
  readonly after: string;
}

/**
 * Reads the newest events, newest first. The cursor is read before the events, so that an event in between arrives
 * twice rather than never; the page drops duplicates by event id.
 */
export async function readLatestEvents({ executeAsAccount }: PageContext, filter: EventFilter): Promise<LatestEvents> {
  const { newest } = await executeAsAccount('ReadLiveStart');
  const { events } = await executeAsAccount('ReadLiveEvents', {
    first: LISTED_EVENTS,
    ...filterVariables(filter),
  });
  return { events, after: newest[0]?.cursor ?? '' };
}
