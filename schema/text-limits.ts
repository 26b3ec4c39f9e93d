import type { Violation } from './register-error';
import { hasVisibleCharacter } from './visible-text';
import { UNSTORABLE_MESSAGE, isWellFormed } from './well-formed-text';

/**
 * Returns the violation of a text that is present: VAL001 unless well-formed, VAL003 outside its length in Unicode code points or, where the
 * minimum is above 0, without a visible character (decisions A/B, 1).
 */
export function textViolations(
  path: Violation['path'],
  text: string | null | undefined,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): Violation[] {
  if (text == null) return [];
  if (!isWellFormed(text)) return [{ code: 'VAL001', path, message: UNSTORABLE_MESSAGE }];
  const length = [...text].length;
  if (length < min || length > max) return [{ code: 'VAL003', path, message: `must have ${min} to ${max} characters` }];
  if (min > 0 && !hasVisibleCharacter(text))
    return [{ code: 'VAL003', path, message: 'must have a visible character' }];
  return [];
}
