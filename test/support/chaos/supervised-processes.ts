import type { Environment } from '../../../process/environment';
import { type RegisterProcess, startRegisterProcess } from '../register';

/** A service that somebody starts again when it was killed, as a cluster does. */
export interface SupervisedService {
  readonly name: string;
  /** Kills the present process; resolves when it is gone, while the next one is already starting. */
  kill(): Promise<void>;
  /** Resolves when it runs. */
  running(): Promise<void>;
  /** How often it was started again after a kill. */
  restarts(): number;
  output(): string;
  stop(): Promise<void>;
}

/** Starts a service under supervision. A start that fails, such as without a database, is tried again. */
export async function supervised(name: string, environment: Environment): Promise<SupervisedService> {
  let stopping = false;
  let output = '';
  let restarts = 0;
  let present: Promise<RegisterProcess> = startRegisterProcess(environment);
  await present;
  const start = async (): Promise<RegisterProcess> => {
    for (;;) {
      try {
        const started = await startRegisterProcess(environment);
        restarts += 1;
        return started;
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
      present.catch(() => undefined); // who waits for it is told
    },
    running: async () => void (await present),
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
