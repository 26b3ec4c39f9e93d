import type { Page } from '../page';

/** What a Data User asserted of contacts, as the page asks for it. */
interface ContactCount {
  readonly dataUser: { readonly duid: string; readonly displayName: string } | null;
  readonly asserted: number;
  readonly contests: number;
  readonly rejections: number;
  readonly isAlert: boolean;
}

/** Days that the page can show, the present one included. */
const SPANS = [1, 7, 30] as const;

/** Which Data Users assert contacts of customers that others contest, and whose contacts customers reject. */
export const contestsPage: Page = {
  method: 'GET',
  path: '/contests',
  async answer(visit) {
    const days = SPANS.find((span) => String(span) === visit.query['days']) ?? SPANS[0];
    const { counts } = await visit.askAsAccount<{ counts: readonly ContactCount[] }>('ReadContactCounts', { days });
    const spans = SPANS.map((span) => ({ days: span, isChosen: span === days }));
    return { view: 'contests', model: { counts, spans, alerts: counts.filter(({ isAlert }) => isAlert).length } };
  },
};
