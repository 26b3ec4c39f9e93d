import { spawn } from 'node:child_process';
import type { Environment } from '../../process/settings/environment';

/** A running script. */
export interface StartedScript {
  output(): string;
  errors(): string;
  /** Resolves with its exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

/** Starts a script; with `pipe`, {@link StartedScript.errors} returns what it writes to its standard error. */
export function started(
  command: string,
  words: readonly string[],
  stderr: 'inherit' | 'pipe' = 'inherit',
  environment: Environment = {},
): StartedScript {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', stderr], env: { ...process.env, ...environment } });
  let [output, errors] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  return { output: () => output, errors: () => errors, ended, kill: () => child.kill() };
}
