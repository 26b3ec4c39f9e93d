import pino from 'pino';
import { repeat } from '../../../subgraphs/server/repeat';

/** Log lines of a run, and a logger that writes them. */
function log() {
  const lines: string[] = [];
  return { lines, logger: pino({}, { write: (line: string) => void lines.push(line) }) };
}

const RARELY = 3600;
const OFTEN = 0.001;

describe('Background work that repeats itself', () => {
  it('begins at once, and waits for the run under way when it is ended', async () => {
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

  it('never runs beside itself', async () => {
    const { logger } = log();
    let running = 0;
    let most = 0;
    await new Promise<void>((resolve) => {
      let runs = 0;
      const stop = repeat(
        OFTEN,
        async () => {
          most = Math.max(most, ++running);
          await new Promise((done) => void setTimeout(done, 5));
          running -= 1;
          if (++runs === 5) void stop().then(resolve);
        },
        logger,
      );
    });
    expect(most).toBe(1);
  });

  it('tells a failure that lasts once, goes on, and tells the next one', async () => {
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
        'the work could not be done yet',
      );
    });
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'the work could not be done yet',
      'the work could not be done yet',
    ]);
  });
});
