import type { Logger } from 'pino';
import type { Database } from '../../server/database';
import { FORGET_IDEMPOTENCY_KEYS } from '../../server/idempotency';
import { repeat } from '../../server/repeat';

const EVERY_MINUTES = 5;

/** Forgets kept answers after their 24 hours; any number of replicas may do so at once. Answers how to stop. */
export function forgetExpired({ pool }: Database, logger: Logger): () => Promise<void> {
  return repeat(EVERY_MINUTES * 60, () => pool.query(FORGET_IDEMPOTENCY_KEYS), logger);
}
