import { TARIFF_ID_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import { lengthViolations, patternViolations } from '../register-entries/entry-limits';
import { type RateParts, invalid } from '../rates/rate-paths';
import type { TariffInput } from './tariff';
import { priceViolations } from '../rates/money';
import type { PublicationRule } from './publication-rule';

const LENGTHS = { name: [1, 100], description: [0, 2_000], comments: [0, 2_000] } as const;
const PERIODS = [
  ['validFrom', 'validTo', 'validity'],
  ['sellableFrom', 'sellableTo', 'sale'],
] as const;

/** Validates a tariff's own fields: patterns, lengths, ranges, VAT, periods, and lists of its rates that must not be empty. */
export const tariffFields: PublicationRule = ({ tariff, ...parts }) => [
  ...patternViolations('tariffId', tariff.tariffId, TARIFF_ID_PATTERN),
  ...lengthViolations(tariff, LENGTHS),
  ...priceViolations(tariff.standingCharge, ['standingCharge']),
  ...percentageGreenViolations(tariff),
  ...replacesViolations(tariff),
  ...emptyLists(tariff, parts),
  ...vatRateViolations(tariff),
  ...periodViolations(tariff),
];

function percentageGreenViolations({ percentageGreen: value }: TariffInput): Violation[] {
  return value == null || (value >= 0 && value <= 100) ? [] : [invalid(['percentageGreen'], 'must be 0 to 100')];
}

function replacesViolations({ tariffId, replaces: replaced }: TariffInput): Violation[] {
  if (replaced != null && replaced === tariffId) return [invalid(['replaces'], 'must be another tariff')];
  return patternViolations('replaces', replaced, TARIFF_ID_PATTERN);
}

function emptyLists({ rates }: TariffInput, { entries, groups, windows }: RateParts): Violation[] {
  return [
    ...emptyList([], 'rates', rates),
    ...entries.flatMap(({ part, path }) => emptyList(path, 'daysAndHours', part.daysAndHours)),
    ...groups.flatMap(({ part, path }) => emptyList(path, 'hours', part.hours)),
    ...windows.flatMap(({ part, path }) => emptyList(path, 'rate', part.rate)),
  ];
}

function emptyList(path: Violation['path'], list: string, { length }: readonly unknown[]): Violation[] {
  return length > 0 ? [] : [invalid([...path, list], 'must have at least one entry')];
}

/** `vat_rate` (specification, Interface D): an integer 0 to 100, required if `vat_included` is false. */
function vatRateViolations({ vatIncluded, vatRate }: TariffInput): Violation[] {
  const path = ['vatRate'];
  if (vatRate != null)
    return Number.isInteger(vatRate) && vatRate >= 0 && vatRate <= 100
      ? []
      : [invalid(path, 'must be an integer 0 to 100')];
  return vatIncluded ? [] : [{ code: 'VAL002', path, message: 'is required when prices do not include VAT' }];
}

function periodViolations(tariff: TariffInput): Violation[] {
  return PERIODS.flatMap(([startField, endField, period]) => {
    const [start, end] = [tariff[startField], tariff[endField]];
    return start == null || end == null || end.getTime() > start.getTime()
      ? []
      : [invalid([endField], `must be after the beginning of its ${period}`)];
  });
}
