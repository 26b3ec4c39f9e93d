import { separatedByKey } from '../../../subgraphs/server/database/separated-by-key';

const KEYS = Array.from({ length: 100 }, (_, n) => `key ${n}`);

/** Reads keys, of which some fail the statement that contains them. Counts the statements. */
function readerOf(failing: readonly string[], code: string) {
  const statements: (readonly string[])[] = [];
  const read = async (keys: readonly string[]) => {
    statements.push(keys);
    if (keys.some((key) => failing.includes(key))) throw Object.assign(new Error('a statement failed'), { code });
    return keys.map((key) => `row of ${key}`);
  };
  return { statements, read };
}

const rowsOf = (found: readonly (string | Error)[]) =>
  found.map((each) => (each instanceof Error ? each.message : each));

describe('Keys that are read together', () => {
  it('take one statement if the value of each can be stored', async () => {
    const { statements, read } = readerOf([], '');
    expect(await separatedByKey(KEYS, read)).toEqual(KEYS.map((key) => `row of ${key}`));
    expect(statements).toEqual([KEYS]);
  });

  it.each([
    ['the first key', ['key 0'], 15],
    ['the last key', ['key 99'], 15],
    ['two keys', ['key 0', 'key 99'], 29],
  ])('are all found but %s, whose values fail a statement, by few further statements', async (_, failing, most) => {
    const { statements, read } = readerOf(failing, '22021');
    expect(rowsOf(await separatedByKey(KEYS, read))).toEqual(
      KEYS.map((key) => (failing.includes(key) ? 'a statement failed' : `row of ${key}`)),
    );
    expect(statements.length).toBeLessThanOrEqual(most);
  });

  it('fail together, by one statement, if the failure is not due to a value', async () => {
    const { statements, read } = readerOf(['key 50'], '57014');
    await expect(separatedByKey(KEYS, read)).rejects.toThrow('a statement failed');
    expect(statements).toHaveLength(1);
  });
});
