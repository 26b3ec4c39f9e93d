import type { Logger } from 'pino';
import { repeat } from '../server/repeat';
import type { Upkeep } from './upkeep.repository';

const TAKE_OVER_EVERY = 1;
const WAKE_ALL_EVERY = 30;
const FORGET_EVERY = 600;

/** Looks after deliveries now and then, and at once; the function ends it. */
export function keepUp(upkeep: Upkeep, logger: Logger): () => Promise<void> {
  let offset: number | undefined;
  const wakeWhenMoved = async () => {
    const now = await upkeep.clockOffset();
    const moved = offset !== undefined && Math.abs(now - offset) >= 1;
    offset = now;
    if (moved) await upkeep.wakeAll();
  };
  const forgetAll = async () => {
    while ((await upkeep.forget()) > 0);
  };
  const stops = [
    repeat(
      TAKE_OVER_EVERY,
      quietly(() => upkeep.takeOver()),
      logger,
    ),
    repeat(TAKE_OVER_EVERY, quietly(wakeWhenMoved), logger),
    repeat(
      WAKE_ALL_EVERY,
      quietly(() => upkeep.wakeAll()),
      logger,
    ),
    repeat(FORGET_EVERY, quietly(forgetAll), logger),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

/** One at a time; of a database that is away one failure is told, not one each time. */
function quietly(work: () => Promise<unknown>): () => Promise<unknown> {
  let running = false;
  let failed = false;
  return async () => {
    if (running) return;
    running = true;
    try {
      await work();
      failed = false;
    } catch (error) {
      if (failed) return;
      failed = true;
      throw error;
    } finally {
      running = false;
    }
  };
}
