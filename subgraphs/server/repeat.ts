import type { Logger } from 'pino';
import { failureFacts } from './failures';

/** Does a piece of background work now and then every so many seconds; a failure is logged and the next run tries again. */
export function repeat(seconds: number, work: () => Promise<unknown>, logger: Logger): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const run = () => {
    running = work().catch((error: unknown) =>
      logger.error({ failure: failureFacts(error) }, 'background work failed'),
    );
  };
  run();
  const timer = setInterval(run, seconds * 1000);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
