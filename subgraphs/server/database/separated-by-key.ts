/** SQLSTATE of values that PostgreSQL cannot store, such as a text with NUL. */
const DATA_EXCEPTION = /^22/;

/**
 * Reads keys together. If the value of one fails the statement, reads each half of them, one after the other, so that only the request with
 * that key fails, and a few further statements find it.
 */
export async function separatedByKey<Key, Found>(
  keys: readonly Key[],
  read: (keys: readonly Key[]) => Promise<readonly Found[]>,
): Promise<readonly (Found | Error)[]> {
  try {
    return await read(keys);
  } catch (error) {
    if (!DATA_EXCEPTION.test(String((error as { code?: unknown }).code))) throw error;
    if (keys.length === 1) return [error as Error];
    const middle = keys.length >> 1;
    const first = await separatedByKey(keys.slice(0, middle), read);
    return [...first, ...(await separatedByKey(keys.slice(middle), read))];
  }
}
