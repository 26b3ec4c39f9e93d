import { RegisterError } from '../../../../schema/register-error';
import { connectionOf, cursorOf, cursorPosition, requirePageSize } from '../../../../subgraphs/server/lists/connection';

export function connections(): void {
  const ID = '0b6c1a52-7a1f-4d0e-9f57-0a4b2c6d8e10';

  /** Returns the result of `work`, or the text of its error. */
  function errorOf(work: () => unknown): unknown {
    try {
      return work();
    } catch (error) {
      return (error as RegisterError).extensions;
    }
  }

  describe('A cursor of a list', () => {
    it.each(['2026-02-28T23:59:59.999999Z', '2024-02-29T00:00:00.000001Z', '0001-01-01T00:00:00.000000Z'])(
      'contains the instant %s and an id',
      (instant) => {
        expect(cursorPosition(cursorOf([instant, ID]))).toEqual([instant, ID]);
      },
    );

    const none = (text: string) => Buffer.from(text).toString('base64url');
    it.each([
      ['the 30th of February', cursorOf(['2026-02-30T00:00:00.000000Z', ID])],
      ['the 29th of February of a common year', cursorOf(['2026-02-29T00:00:00.000000Z', ID])],
      ['the 31st of April', cursorOf(['2026-04-31T00:00:00.000000Z', ID])],
      ['hour 24', cursorOf(['2026-04-30T24:00:00.000000Z', ID])],
      ['month 13', cursorOf(['2026-13-01T00:00:00.000000Z', ID])],
      ['year 0', cursorOf(['0000-01-01T00:00:00.000000Z', ID])],
      ['an instant in milliseconds', none(`2026-04-30T00:00:00.000Z ${ID}`)],
      ['a missing id', none('2026-04-30T00:00:00.000000Z ')],
      ['nothing', ''],
    ])('is rejected for %s', (_, cursor) => {
      const message = 'is not a cursor of this list';
      expect(errorOf(() => cursorPosition(cursor))).toMatchObject({
        code: 'VAL001',
        violations: [{ code: 'VAL001', path: ['after'], message }],
      });
    });
  });

  describe('A page of a list', () => {
    const page = (rows: number[], first: number, after: string | null) =>
      connectionOf(
        rows,
        { first, after },
        (row) => `c${row}`,
        (row) => ({ row }),
      );

    it('states its first and last cursor, and whether there are more entries before and after', () => {
      const { edges, ...rest } = page([1, 2, 3], 2, null);
      expect(edges).toEqual([
        { cursor: 'c1', node: { row: 1 } },
        { cursor: 'c2', node: { row: 2 } },
      ]);
      expect(rest).toEqual({
        nodes: [{ row: 1 }, { row: 2 }],
        nextCursor: 'c2',
        pageInfo: { startCursor: 'c1', endCursor: 'c2', hasPreviousPage: false, hasNextPage: true },
      });
      expect(page([3], 2, 'c2')).toMatchObject({
        nextCursor: null,
        pageInfo: { startCursor: 'c3', endCursor: 'c3', hasPreviousPage: true, hasNextPage: false },
      });
      expect(page([], 2, 'c3')).toEqual({
        edges: [],
        nodes: [],
        nextCursor: null,
        pageInfo: { startCursor: null, endCursor: null, hasPreviousPage: true, hasNextPage: false },
      });
    });

    it.each([0, -1, 101])('does not have %d entries', (first) => {
      expect(errorOf(() => requirePageSize(first, 100))).toMatchObject({
        code: 'VAL003',
        violations: [{ path: ['first'] }],
      });
    });
  });
}
