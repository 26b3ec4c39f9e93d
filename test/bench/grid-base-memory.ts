import { createReadStream } from 'node:fs';
import { appliedStatements } from './applied-grid';

/**
 * Applies the difference model of the first argument to the full model of the second, and prints the peak of resident
 * bytes.
 */
async function main(project: string, base: string): Promise<void> {
  let peak = 0;
  const afterChunk = () => void (peak = Math.max(peak, process.memoryUsage.rss()));
  const applied = await appliedStatements(createReadStream(project), createReadStream(base), afterChunk);
  console.log(JSON.stringify({ peak, ...applied }));
}

main(process.argv[2] as string, process.argv[3] as string).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
