import { RegisterRefusal } from '../../web/register-refusal';
import type { Visit } from '../page';
import { type Day, dayFault, dayOf, dayOfText, daysAfter, instantOf, startOf, weekOf } from './local-time';
import { type Validity, isValidBetween } from './priced-day';
import type { HalfHourPrice, Tariff } from './register-answers';
import { tariffOfAddress } from './tariff-address';

/** The tariff of an address as the register has it, and today by its clock; NTF003 when it has none. */
export async function readTariff({ ask, params }: Pick<Visit, 'ask' | 'params'>) {
  const tariffId = tariffOfAddress(params);
  if (tariffId === undefined) throw new RegisterRefusal('NTF003');
  const { tariff, registerTime } = await ask<TariffAnswer>('ReadTariff', { tariffId });
  if (tariff === null) throw new RegisterRefusal('NTF003');
  return { tariff, today: dayOf(registerTime) };
}

interface TariffAnswer {
  readonly tariff: Tariff | null;
  readonly registerTime: string;
}

/** The prices of a week; none of a week in which the tariff is not valid. NTF003 when there is no such tariff any more. */
export async function readWeek({ ask }: Pick<Visit, 'ask'>, tariff: Tariff, week: readonly Day[]) {
  const [monday = '', sunday = ''] = [week[0], week.at(-1)];
  if (!isValidBetween(tariff, monday, sunday)) return [];
  const { tariff: answer } = await ask<{ tariff: { prices: readonly HalfHourPrice[] } | null }>('ReadTariffPrices', {
    tariffId: tariff.tariffId,
    from: instantOf(startOf(monday)),
    to: instantOf(startOf(daysAfter(sunday, 1))),
  });
  if (answer === null) throw new RegisterRefusal('NTF003');
  return answer.prices;
}

/** Which day a page shows, and what is to be said of the day that was asked for. */
export interface ShownDay {
  readonly day: Day;
  readonly week: readonly Day[];
  readonly fault: string | undefined;
}

/** The day that an address asks for; else today, or the nearest day to it on which the tariff is valid. */
export function shownDay(asked: unknown, tariff: Validity, today: Day): ShownDay {
  const day = dayOfText(asked);
  const isAbsent = asked === undefined || asked === '';
  const shown = day ?? nearestDay(tariff, today);
  return {
    ...{ day: shown, week: weekOf(shown) },
    fault: isAbsent || day !== undefined ? undefined : dayFault(asked),
  };
}

/** Today, or else the day nearest to it on which a tariff is valid. */
export function nearestDay({ validFrom, validTo }: Validity, today: Day): Day {
  const first = dayOf(validFrom);
  if (today < first) return first;
  const last = validTo === null ? undefined : dayOf(Date.parse(validTo) - 1);
  return last !== undefined && today > last ? last : today;
}
