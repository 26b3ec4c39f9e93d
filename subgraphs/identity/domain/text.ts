import type { Violation } from '../../../schema/register-error';
import { isStorable } from '../../../schema/storable-text';
import { hasVisibleCharacter } from '../../../schema/visible-text';

/** The limits of a text field: characters are counted, not bytes. One with a shortest length has a visible character. An absent text breaks none. */
export function textViolations(
  path: Violation['path'],
  text: string | null,
  { shortest = 0, longest }: { readonly shortest?: number; readonly longest: number },
): Violation[] {
  if (text === null) return [];
  if (!isStorable(text)) return [{ code: 'VAL001', path, message: 'contains a character that cannot be stored' }];
  const length = [...text].length;
  if (length < shortest) return [{ code: 'VAL003', path, message: 'must not be empty' }];
  if (length > longest) return [{ code: 'VAL003', path, message: `is longer than ${longest} characters` }];
  if (shortest > 0 && !hasVisibleCharacter(text))
    return [{ code: 'VAL003', path, message: 'must have a visible character' }];
  return [];
}
