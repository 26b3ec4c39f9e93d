import { errorCatalogue } from '../../schema/error-catalogue';
import type { Page } from '../page';
import { writtenInstant } from '../tariffs/local-time';
import { rateGroups } from '../tariffs/rate-rows';
import { TARIFF_PATH } from '../tariffs/tariff-address';
import { replacementChain, tariffFacts, vatOfAmounts } from '../tariffs/tariff-facts';
import { tariffPictures } from '../tariffs/tariff-pictures';
import { readTariff, readWeek, shownDay } from '../tariffs/tariff-reading';

/** What a tariff is, and what it costs: in a week as a heat map, and on a day as a curve. */
export const tariffPage: Page = {
  method: 'GET',
  path: TARIFF_PATH,
  async answer(visit) {
    const { tariff, today } = await readTariff(visit);
    const shown = shownDay(visit.query['date'], tariff, today);
    const slots = await readWeek(visit, tariff, shown.week);
    return {
      view: 'tariffs/tariff',
      ...(shown.fault === undefined ? {} : { status: errorCatalogue.VAL003.status }),
      model: {
        tariff,
        facts: tariffFacts(tariff),
        chain: replacementChain(tariff),
        versions: tariff.versions.map((each) => ({ ...each, published: writtenInstant(each.publishedAt) })),
        rates: { groups: rateGroups(tariff.rates), vat: vatOfAmounts(tariff) },
        fault: shown.fault,
        ...tariffPictures(tariff, shown, slots, today),
      },
    };
  },
};
