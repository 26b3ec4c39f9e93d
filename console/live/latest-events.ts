import type { Visit } from '../page';
import { type EventFilter, filterVariables } from './event-filter';
import type { LiveEvent } from './register-answers';

/** Events that the list shows. */
export const LISTED_EVENTS = 50;

/** The newest events, and from where a stream goes on after them. */
export interface LatestEvents {
  readonly events: readonly LiveEvent[];
  /** Empty while there is no event at all: from the beginning of the log. */
  readonly after: string;
}

/**
 * Asks for the newest events, newest first. Where a stream goes on is read before them: what happens in between comes twice rather than
 * never, and the page knows an event by its id.
 */
export async function readLatestEvents({ askAsAccount }: Visit, filter: EventFilter): Promise<LatestEvents> {
  const { newest } = await askAsAccount<{ newest: { cursor: string }[] }>('ReadLiveStart');
  const { events } = await askAsAccount<{ events: LiveEvent[] }>('ReadLiveEvents', {
    first: LISTED_EVENTS,
    ...filterVariables(filter),
  });
  return { events, after: newest[0]?.cursor ?? '' };
}
