const PAUSE = 25;

/** Asks again until there is an answer; the time is a last resort, generous for a machine that is busy. */
export async function until<Answer>(
  ask: () => Promise<Answer | undefined> | Answer | undefined,
  milliseconds = 120_000,
): Promise<Answer> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`nothing within ${milliseconds} ms`);
    await new Promise((resolve) => void setTimeout(resolve, PAUSE));
  }
}
