import { controlledPostgres, type ControlledPostgres } from './postgres';

declare global {
  /** The server of the whole test run, kept for the global teardown. */
  var serverOfTheTestRun: ControlledPostgres | undefined;
}

/** One PostgreSQL for all test files: each makes databases of its own in it. */
async function startServerOfTheTestRun(): Promise<void> {
  if (process.env['TEST_DATABASE_URL']) return;
  globalThis.serverOfTheTestRun = await controlledPostgres();
  process.env['TEST_DATABASE_URL'] = globalThis.serverOfTheTestRun.url;
}

export = startServerOfTheTestRun;
