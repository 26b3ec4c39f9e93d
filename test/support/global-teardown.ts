import './global-setup';

/** Stops the PostgreSQL of the test run, once all test files are done. */
async function stopServerOfTheTestRun(): Promise<void> {
  await globalThis.serverOfTheTestRun?.remove();
}

export = stopServerOfTheTestRun;
