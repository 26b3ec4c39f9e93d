/** NUL and unpaired surrogates: JSON can carry them, PostgreSQL and UTF-8 cannot. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Whether a text can be written as UTF-8 and kept by PostgreSQL. */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}
