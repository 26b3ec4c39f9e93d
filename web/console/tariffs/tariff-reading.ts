import { OperationError, hasErrorCode } from '../../shared/operation-error';
import type { PageContext } from '../page';
import { textOf } from '../request/query';
import { type Day, dayError, dayOf, dayOfText, daysAfter, instantOf, startOf, weekOf } from './local-time';
import { type Validity, isValidBetween } from './priced-day';
import type { HalfHourPrice, Tariff } from './operation-results';
import { tariffOfAddress } from './tariff-address';

/** Reads the tariff of an address with a page of its versions, and the current day of the register's clock; NTF003 if it does not exist. */
export async function readTariff({ execute, params, query }: Pick<PageContext, 'execute' | 'params' | 'query'>) {
  const tariffId = tariffOfAddress(params);
  if (tariffId === undefined) throw new OperationError('NTF003');
  const { tariff, registerTime } = await execute('ReadTariff', {
    tariffId,
    versionsAfter: textOf(query['versions']),
  });
  if (tariff === null) throw new OperationError('NTF003');
  return { tariff, today: dayOf(registerTime) };
}

/** Days per operation if the prices of a week exceed the 5,000 that it may read: a tariff with a price for each minute has up to 1,500 a day. */
const DAYS_BY_MINUTE = 3;

/**
 * Reads the prices of a week; none for a week in which the tariff is not valid. Usually one operation reads all, because each counts towards
 * the limit of the client's network; very many prices need several. NTF003 if the tariff no longer exists.
 */
export async function readWeek({ execute }: Pick<PageContext, 'execute'>, tariff: Tariff, week: readonly Day[]) {
  if (!isValidBetween(tariff, week[0] ?? '', week.at(-1) ?? '')) return [];
  const read = (days: readonly Day[]) => readDays({ execute }, tariff, days);
  return read(week).catch(async (error: unknown) => {
    if (!hasErrorCode(error, 'VAL003')) throw error;
    const prices: HalfHourPrice[] = [];
    for (let day = 0; day < week.length; day += DAYS_BY_MINUTE)
      prices.push(...(await read(week.slice(day, day + DAYS_BY_MINUTE))));
    return prices;
  });
}

/** Reads the prices of consecutive days in one operation. */
async function readDays({ execute }: Pick<PageContext, 'execute'>, { tariffId }: Tariff, days: readonly Day[]) {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const [from, to] = [startOf(first), startOf(daysAfter(last, 1))];
  const variables = { tariffId, from: instantOf(from), to: instantOf(to) };
  const { tariff } = await execute('ReadTariffPrices', variables);
  if (tariff === null) throw new OperationError('NTF003');
  return tariff.prices;
}

/** The day that a page shows, and an error if the requested day is none. */
export interface ShownDay {
  readonly day: Day;
  readonly week: readonly Day[];
  readonly error: string | undefined;
}

/** Returns the requested day; else the current day, or the nearest day on which the tariff is valid. */
export function shownDay(requested: unknown, tariff: Validity, today: Day): ShownDay {
  const day = dayOfText(requested);
  const isAbsent = requested === undefined || requested === '';
  const shown = day ?? nearestDay(tariff, today);
  return {
    ...{ day: shown, week: weekOf(shown) },
    error: isAbsent || day !== undefined ? undefined : dayError(requested),
  };
}

/** Returns the current day, or the nearest day on which the tariff is valid. */
export function nearestDay({ validFrom, validTo }: Validity, today: Day): Day {
  const first = dayOf(validFrom);
  if (today < first) return first;
  const last = validTo === null ? undefined : dayOf(Date.parse(validTo) - 1);
  return last !== undefined && today > last ? last : today;
}
