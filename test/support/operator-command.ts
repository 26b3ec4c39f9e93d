import { type ChildProcess, spawn } from 'node:child_process';
import type { Environment } from '../../process/settings/environment';
import { childEnvironment } from './run/left-processes';
import { PRODUCT, productCommand } from './run/product-command';

/** A running command of the operator. */
export interface OperatorCommand {
  readonly child: ChildProcess;
  /** Its exit code, its complete output (`printed`), and its standard output (`output`). */
  readonly ended: Promise<{ readonly code: number | null; readonly printed: string; readonly output: string }>;
}

/** Runs a program of the product, such as `commands/publish-grid`, in a separate process. */
export function runOperatorCommand(
  program: string,
  words: readonly string[],
  environment: Environment,
): OperatorCommand {
  const child = spawn(process.execPath, [...productCommand(process.env[PRODUCT], program), ...words], {
    env: childEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [printed, output] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, printed, output }))) };
}
