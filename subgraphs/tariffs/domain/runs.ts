/** Numbers that follow each other: first and last. */
export type Run = readonly [first: number, last: number];

/** The runs of ascending numbers: 1, 2, 3, 7 are 1 to 3 and 7 to 7. */
export function runsOf(numbers: readonly number[]): Run[] {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] + 1 === number) run[1] = number;
    else runs.push([number, number]);
  }
  return runs;
}
