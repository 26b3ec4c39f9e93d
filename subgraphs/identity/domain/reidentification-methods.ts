/** Ways in which a customer can be re-identified (1-specification.md, existence check). */
export type ReidentificationMethod = 'magic-link' | 'passkey-assert' | 'passkey-register';

/** What a live Identity Record has that a method needs. */
export interface ReidentificationMeans {
  readonly hasEmail: boolean;
  readonly hasCredentials: boolean;
}

/**
 * The methods available for a meter point: the union over its live Identity Records. Registering a passkey always is, once there is
 * a record; without one there is no method.
 */
export function availableMethods(records: readonly ReidentificationMeans[]): ReidentificationMethod[] {
  if (records.length === 0) return [];
  const methods: ReidentificationMethod[] = [];
  if (records.some(({ hasEmail }) => hasEmail)) methods.push('magic-link');
  if (records.some(({ hasCredentials }) => hasCredentials)) methods.push('passkey-assert');
  return [...methods, 'passkey-register'];
}
