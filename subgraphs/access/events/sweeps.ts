import type { Logger } from 'pino';
import type { Database } from '../../server/database';
import { repeat } from '../../server/repeat';
import {
  EXPIRIES_AT_ONCE,
  type LookSoFar,
  expireSome,
  notifySome,
  subscriptionsToLookAt,
} from '../database/expiry.repository';
import { REVOCATIONS_AT_ONCE, revokeSomeOfTerminated } from '../database/termination.repository';

const EXPIRE_EVERY_SECONDS = 1;
const NOTIFY_EVERY_SECONDS = 2;
const REVOKE_EVERY_SECONDS = 1;

/** What is done over and over; it ends early when it is to stop. */
type Sweep = (pool: Database['pool'], isToStop: () => boolean) => Promise<void>;

/** Ends every record whose expiry has passed (1-specification.md, States and transitions). */
export const expirePassed: Sweep = async (pool, isToStop) => {
  let expired: number;
  do expired = await expireSome(pool);
  while (expired === EXPIRIES_AT_ONCE && !isToStop());
};

/** Writes down the end of every record of a terminated Data User (decisions A/B, section 2), a batch at a time. */
export const revokeOfTerminated: Sweep = async (pool, isToStop) => {
  let revoked: number;
  do revoked = await revokeSomeOfTerminated(pool);
  while (revoked === REVOCATIONS_AT_ONCE && !isToStop());
};

/** Tells every subscription of the consent records that have come within its window (1-specification.md, Events). */
export const notifyOfExpiring: Sweep = async (pool, isToStop) => {
  for (const webhookId of await subscriptionsToLookAt(pool)) {
    let look: LookSoFar | undefined;
    do {
      if (isToStop()) return;
      look = await notifySome(pool, webhookId, look);
    } while (look !== undefined);
  }
};

/**
 * Sweeps for what the passing of time brings. Any number of replicas may: each takes what no other has at this instant. What was not swept,
 * since nothing ran, is swept by the next run, and what was half done when a process was killed has not been done.
 */
export function sweepExpiries({ pool }: Pick<Database, 'pool'>, logger: Logger): { stop(): Promise<void> } {
  let stopping = false;
  const sweeping = (seconds: number, sweep: Sweep, failure: string) =>
    repeat(seconds, () => sweep(pool, () => stopping), logger, failure);
  const sweeps = [
    sweeping(EXPIRE_EVERY_SECONDS, expirePassed, 'records that have expired could not be ended yet'),
    sweeping(REVOKE_EVERY_SECONDS, revokeOfTerminated, 'revocation of records of terminated Data Users failed'),
    sweeping(NOTIFY_EVERY_SECONDS, notifyOfExpiring, 'records that expire soon could not be told of yet'),
  ];
  return {
    async stop() {
      stopping = true;
      await Promise.all(sweeps.map((stop) => stop()));
    },
  };
}
