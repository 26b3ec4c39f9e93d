/** How calls are put together. */
export interface Grouping {
  /** Items of one group at most. */
  readonly most: number;
  /** Groups under way at once. */
  readonly atOnce: number;
}

/**
 * One statement for many: items that come in one turn of the event loop, or while earlier groups are under way, go together. So
 * groups grow with the load, and nothing waits while there is none. A failure is told to all of a group.
 *
 * @param work answers the items of a group, in their order
 */
export function grouped<Item, Answer>(
  work: (items: readonly Item[]) => Promise<readonly Answer[]>,
  { most, atOnce }: Grouping,
): (item: Item) => Promise<Answer> {
  const waiting: { item: Item; resolve: (answer: Answer) => void; reject: (error: unknown) => void }[] = [];
  let underWay = 0;
  let planned = false;
  const run = async () => {
    const group = waiting.splice(0, most);
    if (group.length === 0) return;
    underWay += 1;
    try {
      const answers = await work(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      group.forEach(({ reject }) => reject(error));
    } finally {
      underWay -= 1;
      if (waiting.length > 0) plan();
    }
  };
  const plan = () => {
    if (planned || underWay >= atOnce) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      void run();
    });
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      plan();
    });
}
