import pino, { type Logger } from 'pino';

/**
 * The log buffer is written when it exceeds 4 KiB and every 100 ms. One write per line costs about 10 % of a request.
 */
const BUFFER_BYTES = 4096;
const FLUSH_INTERVAL_MS = 100;

/** The standard output of a process. */
interface ServiceLog {
  readonly logger: Logger;
  /** Writes a plain text line after all earlier log lines; resolves when the operating system has accepted it. */
  print(line: string): Promise<void>;
}

/**
 * Creates the log of this process: buffered JSON lines on standard output. pino flushes the buffer when the process
 * exits.
 */
export function serviceLog(level: string): ServiceLog {
  const output = pino.destination({ fd: 1, sync: false, minLength: BUFFER_BYTES });
  setInterval(() => output.flush(), FLUSH_INTERVAL_MS).unref();
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
  const print = (line: string) =>
    new Promise<void>((resolve) => {
      output.write(`${line}\n`);
      output.flush(() => resolve());
    });
  return { logger, print };
}
