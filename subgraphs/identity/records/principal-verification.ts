import { isInFuture } from '../../../schema/future-date';
import type { Violation } from '../../../schema/register-error';
import type { PrincipalVerification } from './identity-record';
import { UNSTORABLE_MESSAGE, isWellFormed } from '../../../schema/well-formed-text';
import { textViolations } from '../../../schema/text-limits';

const MAX_METHOD_LENGTH = 100;
const MAX_REFERENCE_LENGTH = 255;
const MAX_DETAIL_DEPTH = 10;
const MAX_DETAIL_BYTES = 16 * 1024;

/** Returns the violations of verification evidence: its time, text lengths, and the size of `detail`. */
export function principalVerificationViolations(
  path: Violation['path'],
  evidence: PrincipalVerification | null,
  now: Date,
): Violation[] {
  if (evidence === null) return [];
  return [
    ...textViolations([...path, 'method'], evidence.method, { min: 1, max: MAX_METHOD_LENGTH }),
    ...(isInFuture(evidence.verifiedAt, now) ? [inFuture([...path, 'verifiedAt'])] : []),
    ...textViolations([...path, 'reference'], evidence.reference, { max: MAX_REFERENCE_LENGTH }),
    ...textViolations([...path, 'submitted'], evidence.submitted, { max: MAX_REFERENCE_LENGTH }),
    ...textViolations([...path, 'verifiedAgainst'], evidence.verifiedAgainst, { max: MAX_REFERENCE_LENGTH }),
    ...detailViolations([...path, 'detail'], evidence.detail),
  ];
}

/**
 * Limits `detail`, which has no fixed schema, to 10 levels and 16 KiB as JSON. Levels are counted without recursion, before recursive code
 * such as JSON serialisation reads the value.
 */
function detailViolations(path: Violation['path'], detail: unknown): Violation[] {
  const remaining: [value: unknown, level: number][] = [[detail, 1]];
  for (let next = remaining.pop(); next; next = remaining.pop()) {
    const [value, level] = next;
    if (typeof value === 'string' && !isWellFormed(value)) return [unstorable(path)];
    if (typeof value !== 'object' || value === null) continue;
    if (level > MAX_DETAIL_DEPTH)
      return [{ code: 'VAL003', path, message: `has more than ${MAX_DETAIL_DEPTH} levels` }];
    if (!Object.keys(value).every(isWellFormed)) return [unstorable(path)];
    for (const part of Object.values(value)) remaining.push([part, level + 1]);
  }
  const bytes = Buffer.byteLength(JSON.stringify(detail));
  return bytes > MAX_DETAIL_BYTES
    ? [{ code: 'VAL003', path, message: `is larger than ${MAX_DETAIL_BYTES} bytes` }]
    : [];
}

function inFuture(path: Violation['path']): Violation {
  return { code: 'VAL003', path, message: 'must not be in the future' };
}

function unstorable(path: Violation['path']): Violation {
  return { code: 'VAL001', path, message: UNSTORABLE_MESSAGE };
}
