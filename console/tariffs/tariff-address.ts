import { TARIFF_ID_PATTERN } from '../../schema/identifiers';
import { withQuery } from '../request/query';
import type { Day } from './local-time';

/** Path of the list of tariffs. */
export const TARIFFS_PATH = '/tariffs';

/** Path of the page of a tariff, as the web server reads it. */
export const TARIFF_PATH = `${TARIFFS_PATH}/:tariffId`;

/** The tariff of an address; undefined when there can be none. */
export function tariffOfAddress({ tariffId = '' }: Readonly<Record<string, string>>): string | undefined {
  return TARIFF_ID_PATTERN.test(tariffId) ? tariffId : undefined;
}

/** Address of a tariff's page; of a day, if one is named. */
export function tariffPage(tariffId: string, day?: Day): string {
  return withQuery(`${TARIFFS_PATH}/${encodeURIComponent(tariffId)}`, { date: day });
}

/** Address of a tariff's week, at the picture. */
export function weekPage(tariffId: string, day: Day): string {
  return `${tariffPage(tariffId, day)}#week`;
}
