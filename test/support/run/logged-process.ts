import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Environment } from '../../../process/settings/environment';
import { until } from '../until';
import { childEnvironment } from './left-processes';
import { productCommand } from './product-command';

/** A process of the product that writes to a log file. */
export interface LoggedProcess {
  readonly logFile: string;
  /** Sends SIGINT and waits for the end; sends SIGKILL after {@link MAX_STOP_MS}. */
  stop(): Promise<void>;
}

const MAX_START_MS = 300_000;
const MAX_STOP_MS = 30_000;

/** Starts `process/main.ts` of the product and waits for its `ready` line. */
export async function loggedProcess(
  product: string,
  environment: Environment,
  logFile: string,
): Promise<LoggedProcess> {
  const log = openSync(logFile, 'w');
  const child = spawn(process.execPath, productCommand(product, 'process/main'), {
    env: childEnvironment(environment),
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGINT');
    const kill = setTimeout(() => child.kill('SIGKILL'), MAX_STOP_MS);
    await ended;
    clearTimeout(kill);
  };
  await until(() => {
    const output = readFileSync(logFile, 'utf8');
    if (/^ready/m.test(output)) return true;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`ended before it was ready:\n${output}`);
    return undefined;
  }, MAX_START_MS);
  return { logFile, stop };
}
