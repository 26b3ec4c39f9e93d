import type { Environment } from '../../../process/settings/environment';
import { type RegisterProcess, startRegisterProcess } from '../register';

/** A service that is restarted after each kill, as in a cluster. */
export interface SupervisedService {
  readonly name: string;
  /** Kills the current process; resolves when it has ended, while the next one is already starting. */
  kill(): Promise<void>;
  /** Resolves when it runs. */
  running(): Promise<void>;
  /** Throws if the current process has ended without a kill: the register survives whatever its database does. */
  rejectCrash(): void;
  /** Returns the number of restarts after a kill. */
  restarts(): number;
  output(): string;
  stop(): Promise<void>;
}

/** Starts a service under supervision. A failed start, such as without a database, is repeated. */
export async function supervised(name: string, environment: Environment): Promise<SupervisedService> {
  let stopping = false;
  let output = '';
  let restarts = 0;
  let present: Promise<RegisterProcess> = startRegisterProcess(environment);
  let latest = await present;
  const start = async (): Promise<RegisterProcess> => {
    for (;;) {
      try {
        latest = await startRegisterProcess(environment);
        restarts += 1;
        return latest;
      } catch (error) {
        output += `${(error as Error).message}\n`;
        if (stopping) throw error;
      }
    }
  };
  return {
    name,
    async kill() {
      const killed = await present;
      await killed.kill();
      output += killed.output();
      present = start();
      present.catch(() => undefined); // callers of `running` get the error
    },
    running: async () => void (await present),
    rejectCrash() {
      const { exitCode } = latest.child;
      if (exitCode !== null) throw new Error(`${name} ended with ${exitCode}: ${latest.output()}`);
    },
    restarts: () => restarts,
    output: () => output,
    async stop() {
      stopping = true;
      const last = await present.catch(() => undefined);
      await last?.stop();
      output += last?.output() ?? '';
    },
  };
}
