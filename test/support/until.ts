const PAUSE = 25;

/** Milliseconds after which a wait fails: long for busy machines, short for tests that are expected to fail. */
const PATIENCE = Number(process.env['TEST_PATIENCE_MS'] ?? 120_000);

/** Calls `read` until it returns a result; fails after {@link PATIENCE}. */
export async function until<Answer>(
  ask: () => Promise<Answer | undefined> | Answer | undefined,
  milliseconds = PATIENCE,
): Promise<Answer> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`nothing within ${milliseconds} ms`);
    await new Promise((resolve) => void setTimeout(resolve, PAUSE));
  }
}
