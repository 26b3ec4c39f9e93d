import type { Environment } from '../../../process/settings/environment';
import { type RegisterProcess, startRegisterProcess } from '../register';

/** A service that a test kills and starts again. */
export interface RestartableService {
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Starts the next process; resolves when it is ready. */
  start(): Promise<void>;
  /** Resolves when a process runs. */
  running(): Promise<void>;
  /** Stops it as an operator would; returns the output of the last process. */
  stop(): Promise<string>;
}

/** Starts a service that can be killed and restarted. */
export async function restartable(environment: Environment): Promise<RestartableService> {
  let present: RegisterProcess = await startRegisterProcess(environment);
  let runs: Promise<void> = Promise.resolve();
  let isStarted = () => {};
  return {
    async kill() {
      runs = new Promise((resolve) => {
        isStarted = resolve;
      });
      await present.kill();
    },
    async start() {
      present = await startRegisterProcess(environment);
      isStarted();
    },
    running: () => runs,
    async stop() {
      await present.stop();
      return present.output();
    },
  };
}
