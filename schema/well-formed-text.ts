/** NUL and unpaired surrogates. JSON can contain them; PostgreSQL cannot store NUL, UTF-8 cannot encode the surrogates. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Message of VAL001 for a text that is not well-formed. */
export const UNSTORABLE_MESSAGE = 'contains a character that cannot be stored';

/** Returns whether UTF-8 can encode a text and PostgreSQL can store it. */
export function isWellFormed(text: string): boolean {
  return !UNSTORABLE.test(text);
}
