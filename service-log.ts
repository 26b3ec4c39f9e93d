import pino, { type Logger } from 'pino';

/** Bytes and milliseconds after which collected lines are written: a write for each line would cost a request a tenth more. */
const LOG_BYTES = 4096;
const LOG_EVERY = 100;

/** The log of this process: JSON lines on standard output; what is collected is also written at exit. */
export function serviceLog(level: string): { readonly logger: Logger; flush(): void } {
  const lines = pino.destination({ fd: 1, sync: false, minLength: LOG_BYTES });
  setInterval(() => lines.flush(), LOG_EVERY).unref();
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines);
  return { logger, flush: () => lines.flushSync() };
}
