/**
 * Expects the wait of an exceeded limit, in seconds: the rest of a period of the given length.
 *
 * @param startedAt an instant before the first request of the period, by `performance.now()`
 */
export function expectWait(wait: number | null | undefined, period: number, startedAt: number): void {
  const passed = Math.ceil((performance.now() - startedAt) / 1_000);
  expect(wait).toBeGreaterThanOrEqual(Math.max(1, period - passed));
  expect(wait).toBeLessThanOrEqual(period);
}
