import type { Violation } from '../../../schema/register-error';
import { textViolations } from '../../../schema/text-limits';
import type { DiscoveredAccessReport } from './discovered-access';

/** Maximum length of a name or reference in characters. */
const MAX_TEXT_LENGTH = 255;
const TEXTS = ['organisationName', 'organisationReference', 'sourceReference'] as const;

/**
 * Returns all violations of a report by the communications operator. It repeats the limits of the REST contract for GraphQL callers.
 *
 * @param today the present day in Great Britain, `YYYY-MM-DD`
 */
export function discoveredAccessViolations(report: DiscoveredAccessReport, today: string): Violation[] {
  return [
    ...TEXTS.flatMap((field) => textViolations([field], report[field], { min: 1, max: MAX_TEXT_LENGTH })),
    ...datesOf(report, today),
    ...dataTypesOf(report),
  ];
}

function datesOf({ firstSeen, lastSeen }: DiscoveredAccessReport, today: string): Violation[] {
  const violation = (field: string, message: string): Violation[] => [{ code: 'VAL003', path: [field], message }];
  const ofFirst = firstSeen > today ? violation('firstSeen', 'must not be in the future') : [];
  if (lastSeen == null) return ofFirst;
  if (lastSeen > today) return [...ofFirst, ...violation('lastSeen', 'must not be in the future')];
  if (lastSeen >= firstSeen) return ofFirst;
  return [...ofFirst, ...violation('lastSeen', 'must not be before the day of the first sighting')];
}

function dataTypesOf({ dataTypesObserved }: DiscoveredAccessReport): Violation[] {
  const path = ['dataTypesObserved'];
  if (dataTypesObserved.length === 0) return [{ code: 'VAL003', path, message: 'must have at least one entry' }];
  if (new Set(dataTypesObserved).size === dataTypesObserved.length) return [];
  return [{ code: 'VAL003', path, message: 'must not name a data type twice' }];
}
