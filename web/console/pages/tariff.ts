import { errorCatalogue } from '../../../schema/error-catalogue';
import { type PageContext, get } from '../page';
import { pageLinks, textOf } from '../request/query';
import { dayOfText, writtenInstant } from '../tariffs/local-time';
import type { Tariff } from '../tariffs/operation-results';
import { rateGroups } from '../tariffs/rate-rows';
import { TARIFF_PATH, versionsPage } from '../tariffs/tariff-address';
import { replacementChain, tariffDetails, vatOfAmounts } from '../tariffs/tariff-details';
import { tariffPictures } from '../tariffs/tariff-pictures';
import { readTariff, readWeek, shownDay } from '../tariffs/tariff-reading';

/** Shows a tariff and its prices: a week as a heat map, and a day as a curve. */
export const tariffPage = get(TARIFF_PATH, async (context) => {
  const { tariff, today } = await readTariff(context);
  const shown = shownDay(context.query['date'], tariff, today);
  const slots = await readWeek(context, tariff, shown.week);
  return {
    view: 'tariffs/tariff',
    ...(shown.error === undefined ? {} : { status: errorCatalogue.VAL003.status }),
    model: {
      tariff,
      details: tariffDetails(tariff),
      chain: replacementChain(tariff),
      versions: versionsOf(tariff, context.query),
      rates: { groups: rateGroups(tariff.rates), vat: vatOfAmounts(tariff) },
      error: shown.error,
      ...tariffPictures(tariff, shown, slots, today),
    },
  };
});

/** Returns a page of the versions, with links to the next and the first one. */
function versionsOf({ tariffId, versions: { nodes, nextCursor } }: Tariff, { date, versions }: PageContext['query']) {
  const day = dayOfText(date);
  return {
    rows: nodes.map((each) => ({ ...each, published: writtenInstant(each.publishedAt) })),
    ...pageLinks(textOf(versions), nextCursor, (cursor) => versionsPage(tariffId, day, cursor)),
  };
}
