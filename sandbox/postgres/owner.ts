import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { livingProcess } from './process-table';
import { readIfPresent } from './read-if-present';

/** Time after which instances that start at the same moment have written their claims. */
const CLAIM_DELAY_MS = 50;

/**
 * Makes this process the owner of the data folder; returns a function that releases it. Throws while another running
 * process owns the folder. The claim of a process that has ended is ignored.
 */
export async function takeOwnership(folder: string): Promise<() => Promise<void>> {
  const file = `${folder}.owner`;
  const claim = `${process.pid} ${(await livingProcess(process.pid))?.startedAt}`;
  if (!(await claimed(file, claim))) {
    await throwIfOwned(file, folder);
    await rm(file, { force: true });
    await claimed(file, claim);
    // A concurrent start may have removed this claim instead of that of the ended owner; the last claim counts.
    await pause(CLAIM_DELAY_MS);
    if ((await readIfPresent(file)) !== claim) await throwIfOwned(file, folder);
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

async function throwIfOwned(file: string, folder: string): Promise<void> {
  if (!(await readIfPresent(file))) await pause(CLAIM_DELAY_MS); // created, but not yet written
  const [pid, ...startedAt] = ((await readIfPresent(file)) ?? '').split(' ');
  const owner = Number(pid) > 0 ? await livingProcess(Number(pid)) : undefined;
  if (owner && owner.startedAt === startedAt.join(' ')) {
    throw new Error(`Another instance (process ${pid}) runs on ${folder}. Stop it first, or choose another DATA_DIR.`);
  }
}
