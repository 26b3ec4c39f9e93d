import type { Violation } from '../../../schema/register-error';
import { textViolations } from '../../../schema/text-limits';
import { type WebUrlPolicy, urlViolations } from '../../server/web-address';

/** Minimum and maximum length of text fields, in Unicode code points. */
type Lengths = Readonly<Record<string, readonly [min: number, max: number]>>;

/** Returns VAL001 if a text is present and does not match its pattern. */
export function patternViolations(field: string, value: string | null | undefined, pattern: RegExp): Violation[] {
  if (value == null || pattern.test(value)) return [];
  return [{ code: 'VAL001', path: [field], message: `must match ${pattern.source}` }];
}

/**
 * Returns the violations of the texts that are present.
 *
 * @param parentPath the path of `input`
 */
export function lengthViolations(input: object, lengths: Lengths, parentPath: readonly string[] = []): Violation[] {
  const texts = input as Readonly<Record<string, string | null | undefined>>;
  return Object.entries(lengths).flatMap(([field, [min, max]]) =>
    textViolations([...parentPath, field], texts[field], { min, max }),
  );
}

/** Returns VAL008 for each address that is present and violates the policy. */
export function addressViolations(input: object, fields: readonly string[], policy: WebUrlPolicy): Violation[] {
  const addresses = input as Readonly<Record<string, string | null | undefined>>;
  return fields.flatMap((field) => urlViolations([field], addresses[field], policy));
}
