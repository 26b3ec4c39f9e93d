import type { Violation } from '../../../schema/register-error';
import { isStorable } from '../../../schema/storable-text';
import { hasVisibleCharacter } from '../../../schema/visible-text';
import type { DiscoveredAccessReport } from './discovered-access';

/** Characters of a name or reference at most (2-decisions-a-b.md, section 5). */
const LONGEST = 255;
const TEXTS = ['organisationName', 'organisationReference', 'sourceReference'] as const;

/**
 * All that is wrong with a report of the communications operator, also for callers that come past the REST contract.
 *
 * @param today the present day in Great Britain, `YYYY-MM-DD`
 */
export function discoveredAccessViolations(report: DiscoveredAccessReport, today: string): Violation[] {
  return [
    ...TEXTS.flatMap((field) => textFault(field, report[field])),
    ...datesOf(report, today),
    ...dataTypesOf(report),
  ];
}

function textFault(field: string, text: string): Violation[] {
  const path = [field];
  if (!isStorable(text)) return [{ code: 'VAL001', path, message: 'contains a character that cannot be stored' }];
  const length = [...text].length;
  if (length < 1 || length > LONGEST)
    return [{ code: 'VAL003', path, message: `must have 1 to ${LONGEST} characters` }];
  if (!hasVisibleCharacter(text)) return [{ code: 'VAL003', path, message: 'must have a visible character' }];
  return [];
}

function datesOf({ firstSeen, lastSeen }: DiscoveredAccessReport, today: string): Violation[] {
  const fault = (field: string, message: string): Violation[] => [{ code: 'VAL003', path: [field], message }];
  const ofFirst = firstSeen > today ? fault('firstSeen', 'must not lie in the future') : [];
  if (lastSeen == null) return ofFirst;
  if (lastSeen > today) return [...ofFirst, ...fault('lastSeen', 'must not lie in the future')];
  if (lastSeen >= firstSeen) return ofFirst;
  return [...ofFirst, ...fault('lastSeen', 'must not lie before the day on which it was first seen')];
}

function dataTypesOf({ dataTypesObserved }: DiscoveredAccessReport): Violation[] {
  const path = ['dataTypesObserved'];
  if (dataTypesObserved.length === 0) return [{ code: 'VAL003', path, message: 'must have at least one entry' }];
  if (new Set(dataTypesObserved).size === dataTypesObserved.length) return [];
  return [{ code: 'VAL003', path, message: 'must not name a data type twice' }];
}
