/** NUL and unpaired surrogates. JSON can contain them; PostgreSQL cannot store NUL, UTF-8 cannot encode the surrogates. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Returns whether UTF-8 can encode a text and PostgreSQL can store it. */
export function isWellFormed(text: string): boolean {
  return !UNSTORABLE.test(text);
}
