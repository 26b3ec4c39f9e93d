import type { Logger } from 'pino';
import type { Database } from '../../server/database/database';
import { requireEqualClocks } from '../../server/database/register-clock';
import { repeat, stopAll } from '../../server/jobs/repeat';
import { type ScanProgress, announceSome, subscriptionsToScan } from '../webhooks/expiry-notices.repository';
import { MAX_EXPIRIES, expireSome } from './expiry.repository';
import { updateCounts } from './record-counts.repository';
import { claimSome } from '../operator/pending-claim.repository';
import { MAX_REVOCATIONS, revokeSomeOfTerminated } from '../accounts/termination.repository';

const EXPIRE_EVERY_SECONDS = 1;
const NOTIFY_EVERY_SECONDS = 2;
const REVOKE_EVERY_SECONDS = 1;
const COUNT_EVERY_SECONDS = 1;
const CLAIM_EVERY_SECONDS = 1;

/** A periodic run; it returns early once `isToStop` is true. */
type Sweep = (pool: Database['pool'], isToStop: () => boolean) => Promise<void>;

/** Expires every record whose expiry has passed (specification, States and transitions), unless the clock has jumped. */
export const expireDueRecords: Sweep = async (pool, isToStop) => {
  await requireEqualClocks(pool);
  let expired: number;
  do expired = await expireSome(pool);
  while (expired === MAX_EXPIRIES && !isToStop());
};

/** Stores the revocation of every record of a terminated Data User (decisions A/B, 2), a batch at a time. */
export const revokeOfTerminated: Sweep = async (pool, isToStop) => {
  let revoked: number;
  do revoked = await revokeSomeOfTerminated(pool);
  while (revoked === MAX_REVOCATIONS && !isToStop());
};

/**
 * Announces the records that expire soon to the fan-out, for every subscription (specification, Events), unless the clock has jumped. A
 * subscription whose scan fails does not stop those after it; the first failure is thrown at the end.
 */
export const announceExpiring: Sweep = async (pool, isToStop) => {
  await requireEqualClocks(pool);
  const failures: unknown[] = [];
  for (const webhookId of await subscriptionsToScan(pool)) {
    if (isToStop()) return;
    await announceAll(pool, webhookId, isToStop).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
};

async function announceAll(pool: Database['pool'], webhookId: string, isToStop: () => boolean): Promise<void> {
  let progress: ScanProgress | undefined;
  do progress = await announceSome(pool, webhookId, progress);
  while (progress !== undefined && !isToStop());
}

/** Adds the changes of records to the counts of the lists, which read later changes from the event log. */
export const countChanges: Sweep = async (pool, isToStop) => {
  while ((await updateCounts(pool)) && !isToStop());
};

/** Claims the discovered accesses of organisations that an admin has named (decisions A/B, 5), a part at a time. */
export const claimOfNamed: Sweep = async (pool, isToStop) => {
  while ((await claimSome(pool)) && !isToStop());
};

/**
 * Starts the sweeps of expiries, terminations, notices, counts and claims. Replicas may run them concurrently: each skips rows that another has locked. A
 * run that was missed or interrupted is made up by the next one.
 */
export function startSweeps({ pool }: Pick<Database, 'pool'>, logger: Logger): { stop(): Promise<void> } {
  const sweeping = (seconds: number, sweep: Sweep, failure: string) =>
    repeat(seconds, (isToStop) => sweep(pool, isToStop), logger, failure);
  const sweeps = [
    sweeping(EXPIRE_EVERY_SECONDS, expireDueRecords, 'expiry of records failed'),
    sweeping(REVOKE_EVERY_SECONDS, revokeOfTerminated, 'revocation of records of terminated Data Users failed'),
    sweeping(COUNT_EVERY_SECONDS, countChanges, 'counting records failed'),
    sweeping(CLAIM_EVERY_SECONDS, claimOfNamed, 'claims of discovered accesses failed'),
    sweeping(NOTIFY_EVERY_SECONDS, announceExpiring, 'notices of expiring consents failed'),
  ];
  return { stop: stopAll(sweeps) };
}
