import { TARIFF_ID_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import { lengthFaults, patternFault } from './entry-limits';
import type { PublicationRule } from './publication-rules';
import { entriesOf, groupsOf, invalid, windowsOf } from './rate-places';
import type { TariffInput } from './tariff';
import { priceFaults } from './unit-price';

/** Characters: shortest and longest. */
const LENGTHS = { name: [1, 100], description: [0, 2_000], comments: [0, 2_000] } as const;

/** Patterns, lengths and ranges of a tariff's own fields, and lists of its rates that must not be empty. */
export const tariffLimits: PublicationRule = (tariff) => [
  ...patternFault('tariffId', tariff.tariffId, TARIFF_ID_PATTERN),
  ...lengthFaults(tariff, LENGTHS),
  ...priceFaults(tariff.standingCharge, ['standingCharge']),
  ...percentageGreen(tariff),
  ...replaces(tariff),
  ...emptyLists(tariff),
];

function percentageGreen({ percentageGreen: value }: TariffInput): Violation[] {
  return value == null || (value >= 0 && value <= 100) ? [] : [invalid(['percentageGreen'], 'must be 0 to 100')];
}

function replaces({ tariffId, replaces: replaced }: TariffInput): Violation[] {
  if (replaced != null && replaced === tariffId) return [invalid(['replaces'], 'must be another tariff')];
  return patternFault('replaces', replaced, TARIFF_ID_PATTERN);
}

function emptyLists(tariff: TariffInput): Violation[] {
  const lists = [
    { path: ['rates'], list: tariff.rates },
    ...entriesOf(tariff).map(({ part, path }) => ({ path: [...path, 'daysAndHours'], list: part.daysAndHours })),
    ...groupsOf(tariff).map(({ part, path }) => ({ path: [...path, 'hours'], list: part.hours })),
    ...windowsOf(tariff).map(({ part, path }) => ({ path: [...path, 'rate'], list: part.rate })),
  ];
  return lists.flatMap(({ path, list }) => (list.length > 0 ? [] : [invalid(path, 'must have at least one entry')]));
}
