import type { Logger } from 'pino';
import { repeat } from '../server/repeat';
import { forgetPassed } from '../server/retention';
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
  const stops = [
    repeat(TAKE_OVER_EVERY, () => upkeep.takeOver(), logger),
    repeat(TAKE_OVER_EVERY, wakeWhenMoved, logger),
    repeat(WAKE_ALL_EVERY, () => upkeep.wakeAll(), logger),
    forgetPassed([() => upkeep.forget()], FORGET_EVERY, logger),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}
