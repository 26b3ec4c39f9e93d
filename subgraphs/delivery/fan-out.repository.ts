import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { errorFields } from '../server/observability/failures';
import { logError } from '../server/observability/error-log';

/** Plans the deliveries of the events in the outbox. */
export interface FanOut {
  /** Plans what the outbox contains. */
  wake(): void;
  /** Resolves when the running transaction has ended. */
  stop(): Promise<void>;
}

/** Bounds of one transaction, which urgent events wait for: maximum events, and the number of deliveries it aims at. */
const MAX_EVENTS = 250;
const TARGET_DELIVERIES = 2_000;
/** Delay after another process was planning: it may have missed the last rows. */
const BUSY_MS = 25;

const FAN_OUT = 'select events, deliveries from fan_out($1, $2)';

/** Returns the fan-out, which empties the outbox in bounded transactions each time it is woken. */
export function fanOut(pool: Pool, logger: Logger): FanOut {
  let maxEvents = MAX_EVENTS / 10;
  let running: Promise<void> | undefined;
  let isWoken = false;
  let isStopping = false;
  const planSome = async (): Promise<number> => {
    const query = { name: 'delivery_fan_out', text: FAN_OUT, values: [maxEvents, new Date()] };
    const { rows } = await pool.query<{ events: number; deliveries: number }>(query);
    const [{ events, deliveries }] = rows as [{ events: number; deliveries: number }];
    if (events > 0) maxEvents = eventsPerTransaction(events, deliveries);
    return events;
  };
  const planAll = async (): Promise<void> => {
    while (isWoken && !isStopping) {
      isWoken = false;
      const events = await planSome();
      if (events < 0) await wait(BUSY_MS);
      if (events !== 0) isWoken = true;
    }
  };
  const reportFailure = (error: unknown) => {
    maxEvents = Math.max(1, maxEvents >> 1); // the transaction may have exceeded the statement timeout
    logError(logger, 'error', error, { failure: errorFields(error) }, 'planning deliveries failed');
  };
  return {
    wake() {
      isWoken = true;
      running ??= planAll()
        .catch(reportFailure)
        .finally(() => (running = undefined));
    },
    async stop() {
      isStopping = true;
      await running;
    },
  };
}

/** Returns the number of events for which a transaction plans about {@link TARGET_DELIVERIES} deliveries. */
function eventsPerTransaction(events: number, deliveries: number): number {
  return Math.max(1, Math.min(MAX_EVENTS, Math.floor((TARGET_DELIVERIES * events) / Math.max(1, deliveries))));
}
