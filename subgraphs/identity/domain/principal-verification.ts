import type { Violation } from '../../../schema/register-error';
import type { PrincipalVerification } from './identity-record';
import { isStorable } from '../../../schema/storable-text';
import { textViolations } from './text';

const LONGEST_METHOD = 100;
const LONGEST_REFERENCE = 255;
const DEEPEST_DETAIL = 10;
const LARGEST_DETAIL = 16 * 1024;

/** The verification evidence: method at most 100 characters, its references at most 255, `detail` bounded. */
export function principalVerificationViolations(
  path: Violation['path'],
  evidence: PrincipalVerification | null,
): Violation[] {
  if (evidence === null) return [];
  return [
    ...textViolations([...path, 'method'], evidence.method, { shortest: 1, longest: LONGEST_METHOD }),
    ...textViolations([...path, 'reference'], evidence.reference, { longest: LONGEST_REFERENCE }),
    ...textViolations([...path, 'submitted'], evidence.submitted, { longest: LONGEST_REFERENCE }),
    ...textViolations([...path, 'verifiedAgainst'], evidence.verifiedAgainst, { longest: LONGEST_REFERENCE }),
    ...detailViolations([...path, 'detail'], evidence.detail),
  ];
}

/**
 * `detail` has no fixed form, so it is bounded: 10 levels, 16 KiB as JSON. The levels are counted without recursion, before anything
 * recursive (such as writing it as JSON) sees the value.
 */
function detailViolations(path: Violation['path'], detail: unknown): Violation[] {
  const remaining: [value: unknown, level: number][] = [[detail, 1]];
  for (let next = remaining.pop(); next; next = remaining.pop()) {
    const [value, level] = next;
    if (typeof value === 'string' && !isStorable(value)) return [unstorable(path)];
    if (typeof value !== 'object' || value === null) continue;
    if (level > DEEPEST_DETAIL) return [{ code: 'VAL003', path, message: `has more than ${DEEPEST_DETAIL} levels` }];
    if (!Object.keys(value).every(isStorable)) return [unstorable(path)];
    for (const part of Object.values(value)) remaining.push([part, level + 1]);
  }
  const bytes = Buffer.byteLength(JSON.stringify(detail));
  return bytes > LARGEST_DETAIL ? [{ code: 'VAL003', path, message: `is larger than ${LARGEST_DETAIL} bytes` }] : [];
}

function unstorable(path: Violation['path']): Violation {
  return { code: 'VAL001', path, message: 'contains a character that cannot be stored' };
}
