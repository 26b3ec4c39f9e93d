import { write, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pino, { type Logger } from 'pino';

/**
 * The log buffer is written when it exceeds 4 KiB and every 100 ms. One write per line costs about 10 % of a request.
 */
const BUFFER_LENGTH = 4096;
const FLUSH_INTERVAL_MS = 100;
/** Length of the waiting text above which lines are dropped, because their reader is slower than the process. */
const MAX_WAITING_LENGTH = 8 * 1024 * 1024;
/** Time after which a write is repeated whose reader is slower than the process. */
const RETRY_MS = 5;
const MAX_RETRIES_AT_EXIT = 100;

/** The standard output of a process. */
interface ServiceLog {
  readonly logger: Logger;
  /** Writes a plain text line after all earlier log lines; resolves when the operating system has accepted it. */
  print(line: string): Promise<void>;
}

/**
 * Creates the log of this process: buffered JSON lines on standard output. Lines that the operating system rejects, as on
 * a full disk, are dropped; the process continues. So are lines above {@link MAX_WAITING_LENGTH}; a later line states their number.
 */
export function serviceLog(level: string): ServiceLog {
  // Makes a pipe non-blocking: a write to a full one would block the exit of the process.
  process.stdout.on('error', () => undefined);
  const output = new BufferedOutput((lines) => logger.warn({ lines }, 'log lines dropped'));
  setInterval(() => void output.flush(), FLUSH_INTERVAL_MS).unref();
  process.on('exit', () => output.flushSync());
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
  const print = (line: string) => {
    output.write(`${line}\n`);
    return output.flush();
  };
  return { logger, print };
}

const STANDARD_OUTPUT = 1;
const writeBytes = promisify(write);
const isReaderSlow = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EAGAIN';

/** A destination of pino, in place of its own, which ends the process on a full disk, or waits for space when it exits. */
class BufferedOutput {
  private text = '';
  private droppedCount = 0;
  private writing: Promise<void> | undefined;
  /** Whether the output ends within a line, whose rest was rejected: the next line begins after a line break. */
  private isLineCut = false;

  /** @param reportDropped called with the number of dropped lines once there is space for more */
  constructor(private readonly reportDropped: (lines: number) => void) {}

  write(text: string): void {
    if (this.text.length + text.length > MAX_WAITING_LENGTH) this.droppedCount += 1;
    else this.text += text;
    if (this.text.length >= BUFFER_LENGTH) void this.flush();
  }

  /** Resolves when the operating system has accepted or rejected the whole buffer. */
  flush(): Promise<void> {
    if (this.text !== '') this.writing ??= this.writeBuffer();
    return this.writing ?? Promise.resolve();
  }

  /** Writes the buffer before the process exits. pino calls it after a line of the level `fatal`. */
  flushSync(): void {
    let rest = this.take();
    for (let retries = 0; rest.length > 0 && retries < MAX_RETRIES_AT_EXIT;) {
      try {
        rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest));
      } catch (error) {
        if (!isReaderSlow(error)) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
        retries++;
      }
    }
  }

  private async writeBuffer(): Promise<void> {
    while (this.text !== '') {
      const bytes = this.take();
      const dropped = this.droppedCount;
      this.droppedCount = 0;
      if (dropped > 0) this.reportDropped(dropped);
      await this.writeAll(bytes);
    }
    this.writing = undefined;
  }

  /** Writes all bytes, or drops those that the operating system rejects. */
  private async writeAll(bytes: Buffer): Promise<void> {
    for (let start = 0; start < bytes.length;) {
      const count = await writtenBytes(bytes.subarray(start));
      if (count === undefined) return;
      start += count;
      this.isLineCut = start < bytes.length;
    }
  }

  private take(): Buffer {
    const bytes = Buffer.from(this.isLineCut ? `\n${this.text}` : this.text);
    this.text = '';
    return bytes;
  }
}

/** Writes once; returns the number of bytes, or undefined if the operating system rejects them. */
async function writtenBytes(bytes: Buffer): Promise<number | undefined> {
  try {
    return (await writeBytes(STANDARD_OUTPUT, bytes)).bytesWritten;
  } catch (error) {
    if (!isReaderSlow(error)) return undefined;
    await delay(RETRY_MS);
    return 0;
  }
}
