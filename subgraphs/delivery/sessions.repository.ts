import type { Pool } from 'pg';
import { openPool, sessionOptions } from '../server/database';
import type { DatabaseAddress } from '../server/database-login';
import { ENDS_WHEN_SILENT } from '../server/lock-session';
import { type Holder, beginHolding } from './holder.repository';

/** The engine's sessions: few, since each statement does the work of many. */
export interface DeliverySessions {
  readonly pool: Pool;
  readonly holder: Holder;
  close(): Promise<void>;
}

const CONNECTIONS = 6;

/**
 * Statements name few rows of large tables by their keys, and are planned once: always by index, also while the database
 * takes the tables to be as small as they were then.
 */
const BY_INDEX = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit'].map((way) => `-c ${way}=off`);
const ONE_PLAN = '-c plan_cache_mode=force_generic_plan';

/** Opens the engine's sessions. */
export async function openDeliverySessions(address: DatabaseAddress): Promise<DeliverySessions> {
  const pool = openPool({ ...sessionOptions(address, ...BY_INDEX, ONE_PLAN), max: CONNECTIONS });
  const holder = await beginHolding(sessionOptions(address, ENDS_WHEN_SILENT));
  return {
    pool,
    holder,
    async close() {
      await holder.end();
      await pool.end();
    },
  };
}
