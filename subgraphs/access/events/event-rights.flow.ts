import { RegisterError } from '../../../schema/register-error';
import { type CallContext, callerOf, duidOf } from '../../server/callers/caller';
import type { EventFilter, EventLog, LoggedEvent } from './event-log.queries';

/** Whether the caller is the Data User of the event: the back office reads all events, a Data User its own only. */
export function isOwnersEvent(context: CallContext): boolean {
  return callerOf(context).role === 'data_user';
}

/** Returns an event if the caller may read it. Throws PRM002 if it belongs to another Data User. */
export async function readableEvent(
  { events }: { readonly events: Pick<EventLog, 'byId'> },
  id: string,
  context: CallContext,
): Promise<LoggedEvent | null> {
  const event = await events.byId(id);
  const { role } = callerOf(context);
  if (event === null || role === 'admin' || role === 'analyst') return event;
  if (role !== 'data_user') throw new RegisterError('PRM001');
  if (event.row.duid !== duidOf(context)) throw new RegisterError('PRM002');
  return event;
}

/** Returns the filter with which a caller reads events: of a Data User, its own. Throws PRM002 if it names another Data User. */
export function visibleTo({ types, duid }: EventFilter, context: CallContext): EventFilter {
  if (callerOf(context).role !== 'data_user') return { types, duid };
  const own = duidOf(context);
  if (duid !== null && duid !== own) throw new RegisterError('PRM002');
  return { types, duid: own };
}
