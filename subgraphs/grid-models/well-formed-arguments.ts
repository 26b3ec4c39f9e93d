import { type Violation, throwViolations } from '../../schema/register-error';
import { isWellFormed } from '../../schema/well-formed-text';

/** Maximum objects that one field returns by their mRIDs. */
const MAX_MRIDS = 25;
/** Description of the argument `mRIDs`. */
export const MRIDS_DESCRIPTION = `1 to ${MAX_MRIDS} mRIDs, case-insensitive, also as references: \`#_…\`.`;

/** Throws VAL001 for every argument with NUL or an unpaired surrogate: PostgreSQL can neither store nor compare such text. */
export function requireWellFormed(texts: Readonly<Record<string, string | null | undefined>>): void {
  throwViolations(Object.entries(texts).flatMap(([argument, text]) => textViolations([argument], text)));
}

/** Throws VAL003 unless there are 1 to 25 mRIDs, and VAL001 for those with NUL or an unpaired surrogate. */
export function requireMRIDs(mRIDs: readonly string[]): void {
  const number: Violation = { code: 'VAL003', path: ['mRIDs'], message: `must have 1 to ${MAX_MRIDS} entries` };
  const isWithin = mRIDs.length >= 1 && mRIDs.length <= MAX_MRIDS;
  throwViolations([
    ...(isWithin ? [] : [number]),
    ...mRIDs.flatMap((mRID, index) => textViolations(['mRIDs', index], mRID)),
  ]);
}

function textViolations(path: Violation['path'], text: string | null | undefined): Violation[] {
  if (typeof text !== 'string' || isWellFormed(text)) return [];
  return [{ code: 'VAL001', path, message: 'must be text without NUL or unpaired surrogates' }];
}
