import pino, { type Logger } from 'pino';

/** Bytes and milliseconds after which collected lines are written: a write for each line would cost a request a tenth more. */
const LOG_BYTES = 4096;
const LOG_EVERY = 100;

/** What a process writes to its standard output. */
export interface ServiceLog {
  readonly logger: Logger;
  /** Writes a line of text after everything that was logged before; resolves when it is written. */
  say(line: string): Promise<void>;
}

/** The log of this process: JSON lines on standard output; what is collected is also written at exit. */
export function serviceLog(level: string): ServiceLog {
  const lines = pino.destination({ fd: 1, sync: false, minLength: LOG_BYTES });
  setInterval(() => lines.flush(), LOG_EVERY).unref();
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines);
  const say = (line: string) =>
    new Promise<void>((resolve) => {
      lines.write(`${line}\n`);
      lines.flush(() => resolve());
    });
  return { logger, say };
}
