import { get } from '../page';

/** Periods that the page offers, in days, including the current day. */
const SPANS = [1, 7, 30] as const;

/** Lists Data Users whose asserted contacts customers contest or reject. */
export const contestsPage = get('/contests', async (context) => {
  const days = SPANS.find((span) => String(span) === context.query['days']) ?? SPANS[0];
  const { counts } = await context.executeAsAccount('ReadContactCounts', {
    days,
  });
  const spans = SPANS.map((span) => ({ days: span, isChosen: span === days }));
  return { view: 'contests', model: { counts, spans, alerts: counts.filter(({ isAlert }) => isAlert).length } };
});
