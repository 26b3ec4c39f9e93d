import { type ChildProcess, spawn } from 'node:child_process';
import type { Environment } from '../../process/environment';
import { childEnvironment } from './run/left-processes';
import { PRODUCT, productCommand } from './run/product-command';

/** A command of the operator, running. */
export interface OperatorCommand {
  readonly child: ChildProcess;
  /** Its exit code and all that it said. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
}

/** Runs a composition root of the repository, such as `backup.ts`, as a process of its own. */
export function runOperatorCommand(
  script: string,
  words: readonly string[],
  environment: Environment,
): OperatorCommand {
  const child = spawn(
    process.execPath,
    [...productCommand(process.env[PRODUCT], script.replace(/\.ts$/, '')), ...words],
    { env: childEnvironment(environment), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, said }))) };
}
