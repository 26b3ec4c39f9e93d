import { errorCatalogue } from '../../../schema/error-catalogue';
import { get } from '../page';
import { writtenInstant } from '../tariffs/local-time';
import { rateGroups } from '../tariffs/rate-rows';
import { TARIFF_PATH } from '../tariffs/tariff-address';
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
      versions: tariff.versions.map((each) => ({ ...each, published: writtenInstant(each.publishedAt) })),
      rates: { groups: rateGroups(tariff.rates), vat: vatOfAmounts(tariff) },
      error: shown.error,
      ...tariffPictures(tariff, shown, slots, today),
    },
  };
});
