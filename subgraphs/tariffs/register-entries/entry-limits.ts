import type { Violation } from '../../../schema/register-error';
import { hasVisibleCharacter } from '../../../schema/visible-text';
import { isWellFormed } from '../../../schema/well-formed-text';
import { type WebUrlPolicy, webAddressViolation } from '../../server/web-address';

/** Minimum and maximum length of text fields, in Unicode code points. */
type Lengths = Readonly<Record<string, readonly [min: number, max: number]>>;

/** Returns VAL001 if a text is present and does not match its pattern. */
export function patternViolations(field: string, value: string | null | undefined, pattern: RegExp): Violation[] {
  if (value == null || pattern.test(value)) return [];
  return [{ code: 'VAL001', path: [field], message: `must match ${pattern.source}` }];
}

/**
 * Checks the texts that are present: VAL001 unless well-formed, VAL003 outside their length or, where the minimum is above 0, without a
 * visible character (decisions A/B, 1).
 *
 * @param parentPath the path of `input`
 */
export function lengthViolations(input: object, lengths: Lengths, parentPath: readonly string[] = []): Violation[] {
  return Object.entries(lengths).flatMap(([field, [min, max]]): Violation[] => {
    const text = (input as Readonly<Record<string, string | null | undefined>>)[field];
    if (text == null) return [];
    const path = [...parentPath, field];
    if (!isWellFormed(text)) return [{ code: 'VAL001', path, message: 'contains a character that cannot be stored' }];
    const length = [...text].length;
    if (length < min || length > max)
      return [{ code: 'VAL003', path, message: `must have ${min} to ${max} characters` }];
    if (min > 0 && !hasVisibleCharacter(text))
      return [{ code: 'VAL003', path, message: 'must have a visible character' }];
    return [];
  });
}

/** Returns VAL008 for each address that is present and violates the policy. */
export function addressViolations(input: object, fields: readonly string[], policy: WebUrlPolicy): Violation[] {
  return fields.flatMap((field): Violation[] => {
    const address = (input as Readonly<Record<string, string | null | undefined>>)[field];
    const message = address == null ? undefined : webAddressViolation(address, policy);
    return message === undefined ? [] : [{ code: 'VAL008', path: [field], message }];
  });
}
