const PAUSE = 25;

/** Milliseconds after which a wait fails: long for busy machines, short for tests that are expected to fail. */
export const PATIENCE_MS = Number(process.env['TEST_PATIENCE_MS'] ?? 120_000);

/** Calls `read` until it returns a result; fails after {@link PATIENCE_MS}. */
export async function until<Result>(
  read: () => Promise<Result | undefined> | Result | undefined,
  milliseconds = PATIENCE_MS,
): Promise<Result> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const result = await read();
    if (result !== undefined) return result;
    if (performance.now() > deadline) throw new Error(`nothing within ${milliseconds} ms`);
    await new Promise((resolve) => void setTimeout(resolve, PAUSE));
  }
}
