const PAUSE = 25;

/** Milliseconds that tests wait for what does not come: generous for a machine that is busy, short where tests are meant to fail. */
const PATIENCE = Number(process.env['TEST_PATIENCE_MS'] ?? 120_000);

/** Asks again until there is an answer; the time is a last resort. */
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
