import { OperationError } from '../../shared/operation-error';
import type { PageContext } from '../page';
import { textOf } from '../request/query';
import { type Day, dayError, dayOf, dayOfText, daysAfter, instantOf, startOf, weekOf } from './local-time';
import { type Validity, isValidBetween } from './priced-day';
import type { Tariff } from './operation-results';
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

/**
 * Reads the prices of a week; none for a week in which the tariff is not valid. NTF003 if the tariff no longer exists.
 */
export async function readWeek({ execute }: Pick<PageContext, 'execute'>, tariff: Tariff, week: readonly Day[]) {
  const [monday = '', sunday = ''] = [week[0], week.at(-1)];
  if (!isValidBetween(tariff, monday, sunday)) return [];
  const { tariff: result } = await execute('ReadTariffPrices', {
    tariffId: tariff.tariffId,
    from: instantOf(startOf(monday)),
    to: instantOf(startOf(daysAfter(sunday, 1))),
  });
  if (result === null) throw new OperationError('NTF003');
  return result.prices;
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
