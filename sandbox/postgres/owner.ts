import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { livingProcess } from './process-table';
import { readIfPresent } from './read-if-present';

/** Milliseconds in which instances that start at the same moment have written what they claim. */
const SETTLED = 50;

/**
 * Takes the data folder for this process and gives the function that lets go of it. One instance owns a data folder: a second
 * one is refused while the first lives. What a dead owner left behind counts for nothing.
 */
export async function takeOwnership(folder: string): Promise<() => Promise<void>> {
  const file = `${folder}.owner`;
  const claim = `${process.pid} ${(await livingProcess(process.pid))?.startedAt}`;
  if (!(await claimed(file, claim))) {
    await refuseWhileOwned(file, folder);
    await rm(file, { force: true });
    await claimed(file, claim);
    await pause(SETTLED); // another start may have removed our claim as the dead owner's: the last one stands
    if ((await readIfPresent(file)) !== claim) await refuseWhileOwned(file, folder);
  }
  return async () => {
    if ((await readIfPresent(file)) === claim) await rm(file, { force: true });
  };
}

async function claimed(file: string, claim: string): Promise<boolean> {
  try {
    await writeFile(file, claim, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function refuseWhileOwned(file: string, folder: string): Promise<void> {
  if (!(await readIfPresent(file))) await pause(SETTLED); // made, not yet written
  const [pid, ...startedAt] = ((await readIfPresent(file)) ?? '').split(' ');
  const owner = Number(pid) > 0 ? await livingProcess(Number(pid)) : undefined;
  if (owner && owner.startedAt === startedAt.join(' ')) {
    throw new Error(`Another instance (process ${pid}) runs on ${folder}. Stop it first, or choose another DATA_DIR.`);
  }
}
