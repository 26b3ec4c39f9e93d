import { once } from 'node:events';
import './global-setup';
import { endProcessesOf } from './left-processes';
import { removeRunFolders } from './run-folders';

/**
 * Ends the keeper of the run, and so everything that the run started; waits until nothing is left. Removes what a
 * killed keeper has left.
 */
async function tearDownRun(): Promise<void> {
  if (globalThis.keeperOfTheRun === undefined) return;
  const { process: keeper, run, folders } = globalThis.keeperOfTheRun;
  if (keeper.exitCode === null && keeper.signalCode === null) {
    const ended = once(keeper, 'exit');
    keeper.stdin?.end();
    await ended;
  }
  await endProcessesOf(run);
  if (folders !== undefined) removeRunFolders(folders);
}

export = tearDownRun;
