import { type PageContext, portal } from '../page';
import { completeSince, lookupsByDay } from '../presentation/lookups';
import { customerSession, isLimited } from './customer-records';

/** Start of an hour, as the link to earlier lookups contains it. */
const HOUR = /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/;

/**
 * Lists the organisations that looked up the meter point, by day and hour (decisions A/B, 10). A former occupant, and a
 * customer of a contested home, see only lookups of their own records. A page ends at an hour from which on both lists are complete, and
 * links to the hours before it. It states if a single hour has more lookups than a list.
 */
export const whoLookedPage = portal.get('/who-looked', async (context) => {
  const session = await customerSession(context);
  const before = hourBefore(context);
  const { accessLooks, identityLooks } = await context.executeAsCustomer('ReadWhoLooked', { before });
  const { since, isIncomplete } = completeSince(accessLooks, identityLooks);
  const isShown = ({ hour }: { readonly hour: string }) => since === undefined || hour >= since;
  return {
    view: 'who-looked',
    model: {
      days: lookupsByDay(accessLooks.filter(isShown), identityLooks.filter(isShown), context.language),
      pathQuery: before === null ? '' : `&before=${encodeURIComponent(before)}`,
      isEarlier: before !== null,
      isIncomplete,
      earlierLink: since && `/who-looked?before=${encodeURIComponent(since)}`,
      isLimited: isLimited(session),
      returnLink: context.returnLink(session.returnUrl),
    },
  };
});

/** Returns the hour before which the customer reads lookups; null for the latest. */
function hourBefore({ query: { before } }: PageContext): string | null {
  return typeof before === 'string' && HOUR.test(before) && !Number.isNaN(Date.parse(before)) ? before : null;
}
