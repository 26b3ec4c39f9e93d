import { createReadStream } from 'node:fs';
import { differenceModelReader } from '../../subgraphs/grid-models/rdf/read-difference-model';

/** Streams the difference model of the first argument and prints the resident bytes before and at their peak. */
async function main(path: string): Promise<void> {
  const idle = process.memoryUsage.rss();
  let peak = idle;
  let items = 0;
  const reader = differenceModelReader({
    section: () => undefined,
    item: () => void (items += 1),
    precondition: () => undefined,
    header: () => undefined,
    fault: ({ message }) => {
      throw new Error(message);
    },
  });
  for await (const chunk of createReadStream(path)) {
    reader.write(chunk as Buffer);
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  reader.end();
  console.log(JSON.stringify({ idle, peak, items }));
}

main(process.argv[2] as string).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
