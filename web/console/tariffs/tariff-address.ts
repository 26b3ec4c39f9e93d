import { TARIFF_ID_PATTERN } from '../../../schema/identifiers';
import { withQuery } from '../request/query';
import type { Day } from './local-time';

/** Path of the list of tariffs. */
export const TARIFFS_PATH = '/tariffs';

/** Route of the page of a tariff. */
export const TARIFF_PATH = `${TARIFFS_PATH}/:tariffId`;

/** Returns the id of an address; undefined if it is malformed. */
export function tariffOfAddress({ tariffId = '' }: Readonly<Record<string, string>>): string | undefined {
  return TARIFF_ID_PATTERN.test(tariffId) ? tariffId : undefined;
}

/** Returns the address of a tariff's page, of one day and from one version on if they are passed. */
export function tariffPage(tariffId: string, day?: Day, versionsAfter?: string): string {
  return withQuery(`${TARIFFS_PATH}/${encodeURIComponent(tariffId)}`, { date: day, versions: versionsAfter });
}

/** Returns the address of a tariff's week. */
export function weekPage(tariffId: string, day: Day): string {
  return `${tariffPage(tariffId, day)}#week`;
}

/** Returns the address of a page of a tariff's versions, with the day that is shown. */
export function versionsPage(tariffId: string, day: Day | undefined, after?: string): string {
  return `${tariffPage(tariffId, day, after)}#versions`;
}
