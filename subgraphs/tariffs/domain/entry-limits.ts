import type { Violation } from '../../../schema/register-error';
import { isStorable } from '../../../schema/storable-text';
import { webAddressFault } from '../../server/web-address';

/** Where the rules apply: http addresses are for development only. */
export interface Realm {
  readonly production: boolean;
}

/** Shortest and longest length of texts, in characters. */
export type Lengths = Readonly<Record<string, readonly [least: number, most: number]>>;

/** A text that is present must match its pattern, as the specification writes it (VAL001). */
export function patternFault(field: string, value: string | null | undefined, pattern: RegExp): Violation[] {
  if (value == null || pattern.test(value)) return [];
  return [{ code: 'VAL001', path: [field], message: `must match ${pattern.source}` }];
}

/** Texts that are present must be storable (VAL001), of a length (VAL003), and of more than blanks where something is required. */
export function lengthFaults(input: object, lengths: Lengths, at: readonly string[] = []): Violation[] {
  return Object.entries(lengths).flatMap(([field, [least, most]]): Violation[] => {
    const text = (input as Readonly<Record<string, string | null | undefined>>)[field];
    if (text == null) return [];
    const path = [...at, field];
    if (!isStorable(text)) return [{ code: 'VAL001', path, message: 'contains a character that cannot be stored' }];
    const length = [...text].length;
    if (length < least || length > most)
      return [{ code: 'VAL003', path, message: `must have ${least} to ${most} characters` }];
    if (least > 0 && text.trim() === '') return [{ code: 'VAL003', path, message: 'must not be of blanks only' }];
    return [];
  });
}

/** Addresses that are present must be web addresses (VAL008). */
export function addressFaults(input: object, fields: readonly string[], realm: Realm): Violation[] {
  return fields.flatMap((field): Violation[] => {
    const address = (input as Readonly<Record<string, string | null | undefined>>)[field];
    const fault = address == null ? undefined : webAddressFault(address, realm);
    return fault === undefined ? [] : [{ code: 'VAL008', path: [field], message: fault }];
  });
}
