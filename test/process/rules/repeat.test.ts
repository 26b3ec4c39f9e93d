import pino from 'pino';
import { repeat } from '../../../subgraphs/server/jobs/repeat';

/** Creates a logger and the list of its lines. */
function log() {
  const lines: string[] = [];
  return { lines, logger: pino({}, { write: (line: string) => void lines.push(line) }) };
}

const RARELY = 3600;
const OFTEN = 0.001;

describe('Repeated background work', () => {
  it('starts at once, and waits for the current run when it is stopped', async () => {
    const { logger } = log();
    let finish: () => void = () => undefined;
    let over = false;
    const stop = repeat(RARELY, () => new Promise<void>((resolve) => void (finish = resolve)), logger);
    const stopped = stop().then(() => void (over = true));
    await new Promise((resolve) => void setImmediate(resolve));
    expect(over).toBe(false);
    finish();
    await stopped;
  });

  it('lets the current run end early when it is stopped', async () => {
    let steps = 0;
    const work = async (isToStop: () => boolean) => {
      for (; !isToStop(); steps++) await new Promise((resolve) => void setImmediate(resolve));
    };
    await repeat(RARELY, work, log().logger)();
    expect(steps).toBe(1);
  });

  it('never runs twice at a time', async () => {
    const { logger } = log();
    let running = 0;
    let maxRunning = 0;
    await new Promise<void>((resolve) => {
      let runs = 0;
      const stop = repeat(
        OFTEN,
        async () => {
          maxRunning = Math.max(maxRunning, ++running);
          await new Promise((done) => void setTimeout(done, 5));
          running -= 1;
          if (++runs === 5) void stop().then(resolve);
        },
        logger,
      );
    });
    expect(maxRunning).toBe(1);
  });

  it('runs again half a minute after a failure, not only at the next interval', async () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    try {
      const { logger } = log();
      let runs = 0;
      const work = async () => {
        if (++runs < 3) throw new Error('away');
      };
      const stop = repeat(RARELY, work, logger);
      await jest.advanceTimersByTimeAsync(29_000);
      expect(runs).toBe(1);
      await jest.advanceTimersByTimeAsync(60_000);
      expect(runs).toBe(3);
      await jest.advanceTimersByTimeAsync(120_000);
      expect(runs).toBe(3);
      await stop();
    } finally {
      jest.useRealTimers();
    }
  });

  it('does not run again after it has been stopped during a run that fails', async () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    try {
      const { logger } = log();
      let runs = 0;
      let fail: () => void = () => undefined;
      const work = () => {
        runs += 1;
        return new Promise<void>((_, reject) => void (fail = () => reject(new Error('away'))));
      };
      const stopped = repeat(RARELY, work, logger)();
      fail();
      await stopped;
      await jest.advanceTimersByTimeAsync(60_000);
      expect(runs).toBe(1);
    } finally {
      jest.useRealTimers();
    }
  });

  it('logs a lasting failure once, continues, and logs the next failure', async () => {
    const { lines, logger } = log();
    const outcomes = ['fails', 'fails', 'fails', 'works', 'fails', 'fails'];
    let runs = 0;
    await new Promise<void>((resolve) => {
      const stop = repeat(
        OFTEN,
        async () => {
          const outcome = outcomes[runs++];
          if (outcome === 'fails') throw new Error('away');
          if (outcome === undefined) void stop().then(resolve);
        },
        logger,
        'the work failed',
      );
    });
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'the work failed',
      'the work failed',
    ]);
  });
});
