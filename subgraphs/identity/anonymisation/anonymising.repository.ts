import { setTimeout } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { RegisterError } from '../../../schema/register-error';
import { type Database, sessionOptions } from '../../server/database/database';
import { checkable } from '../../server/database/check-only';
import type { DatabaseAddress } from '../../server/database/database-login';
import { type Session, inTransactionOf } from '../../server/database/transaction';
import type { IdentityDependencies } from '../dependencies';
import { eraseOccupancy } from '../occupancy/occupancy-erasure.flow';
import { keepConnections } from '../contacts/kept-connections.repository';
import {
  CLOSED,
  END_SESSIONS,
  anonymisingState,
  audited,
  destroyPersonalData,
} from './personal-data-destruction.repository';
import type { AnonymisingState } from './anonymising-state';

/** Fields of a record to be anonymised. */
interface AnonymisableRecord {
  readonly id: string;
  readonly ir: string;
  readonly duid: string;
}

/** Name of the job that completes or undoes an interrupted anonymising. */
export const ANONYMISE = 'anonymise';

/** Seconds until the job checks whether an anonymising ended; usually it did. */
const CHECK_AFTER_SECONDS = 5;

/** Seconds until a closed record is tried again; access records of other Data Users end one by one. */
const RETRY_AFTER_SECONDS = 60;

/** Enough attempts for any outage of another service: the job ends when the record is anonymised or not closing. */
const ATTEMPTS = 30_000;

const LOCK = `select pg_try_advisory_lock(hashtextextended('anonymising ' || $1, 0)) as "isMine"`;
const UNLOCK = `select pg_advisory_unlock(hashtextextended('anonymising ' || $1, 0))`;

const MARK =
  'update identity_record set closing_at = coalesce(closing_at, register_now()) where id = $1 and anonymised_at is null';
const UNDO = 'update identity_record set closing_at = null where id = $1 and anonymised_at is null';

/**
 * Sessions of the steps, which wait for another service. They have their own pool, so that the other sessions stay
 * available.
 */
const MAX_SESSIONS = 2;

/** Milliseconds in which a caller retries to lock a record that is locked, and between two attempts. */
const LOCK_ATTEMPTS_MS = 3_000;
const LOCK_RETRY_MS = 50;

/** Closing records without a job, which a restore loses. */
const WITHOUT_JOB = `select id from identity_record
  where closing_at < register_now() - interval '1 minute' and anonymised_at is null`;

/** Repeatable steps that anonymise one record. */
export interface AnonymisingSteps {
  /** Returns the state of the record. */
  state(): Promise<AnonymisingState>;
  /** Rejects new links to the record, and adds a job that completes or undoes the anonymising. */
  markClosing(): Promise<void>;
  /** Removes the closing mark. */
  undo(): Promise<void>;
  /** Closes the record permanently, ends the sessions of its customer, and adds a job that tries again. */
  delay(): Promise<void>;
  /** Destroys the personal data and the blind indexes. */
  destroy(): Promise<void>;
}

/** Identity Records that are being anonymised (decisions A/B, 4). */
export class AnonymisingRepository {
  private readonly sessions: Pool;
  private readonly database: Pick<Database, 'pool'>;

  constructor(
    private readonly dependencies: Pick<IdentityDependencies, 'database' | 'jobs' | 'cipher'>,
    address: DatabaseAddress,
  ) {
    this.database = dependencies.database;
    this.sessions = checkable(new Pool({ ...sessionOptions(address), max: address.connections.reserve(MAX_SESSIONS) }));
    // A connection that breaks fails its next statement, or is replaced.
    this.sessions.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  }

  /** Returns the record with a key, of any Data User. */
  async byRef(ref: string): Promise<AnonymisableRecord | undefined> {
    const text = 'select id, ref as ir, duid from identity_record where ref = $1';
    return (await this.database.pool.query<AnonymisableRecord>(text, [ref])).rows[0];
  }

  /**
   * Runs `work` under an advisory lock on the record; the audit names `actor`. A concurrent call retries for 3 s, then throws SYS002; the job completes an
   * interrupted run.
   */
  async withRecordLock<Result>(
    id: string,
    actor: string,
    work: (steps: AnonymisingSteps) => Promise<Result>,
  ): Promise<Result> {
    const session = await this.lockedSession(id);
    try {
      const result = await work(this.steps(session, id, actor));
      await session.query(UNLOCK, [id]);
      session.release();
      return result;
    } catch (error) {
      session.release(true); // the lock ends with its session
      throw error;
    }
  }

  /** Closes its sessions. */
  close(): Promise<void> {
    return this.sessions.end();
  }

  /** Adds the jobs of closing records without one. */
  async requeueLostJobs(): Promise<void> {
    const { rows } = await this.database.pool.query<{ id: string }>(WITHOUT_JOB);
    for (const { id } of rows) await this.addJob(this.database.pool, id, 0);
  }

  /** Returns a session with the lock of the record; no session is taken while the call waits. */
  private async lockedSession(id: string): Promise<PoolClient> {
    const deadline = performance.now() + LOCK_ATTEMPTS_MS;
    do {
      const session = await this.sessions.connect();
      if (await hasLocked(session, id)) return session;
      session.release();
      await setTimeout(LOCK_RETRY_MS);
    } while (performance.now() < deadline);
    throw new RegisterError('SYS002');
  }

  private steps(session: PoolClient, id: string, actor: string): AnonymisingSteps {
    const auditedStep = (change: () => Promise<unknown>) => audited(session, id, actor, change);
    return {
      state: () => anonymisingState(session, id),
      undo: () => committed(session, () => auditedStep(() => session.query(UNDO, [id]))),
      markClosing: () =>
        committed(session, async () => {
          await auditedStep(() => session.query(MARK, [id]));
          await this.addJob(session, id, CHECK_AFTER_SECONDS);
        }),
      delay: () =>
        committed(session, async () => {
          await keepConnections(session, this.dependencies.cipher, id);
          await auditedStep(() => session.query(CLOSED, [id, null]));
          await session.query(END_SESSIONS, [id]);
          await this.addJob(session, id, RETRY_AFTER_SECONDS);
        }),
      destroy: () =>
        committed(session, async () => {
          await keepConnections(session, this.dependencies.cipher, id);
          await eraseOccupancy(session, this.dependencies.cipher, id);
          await auditedStep(() => destroyPersonalData(session, id));
        }),
    };
  }

  private addJob(session: Session, id: string, afterSeconds: number): Promise<void> {
    return this.dependencies.jobs.add(
      session,
      ANONYMISE,
      { id },
      { key: `${ANONYMISE} ${id}`, afterSeconds, maxAttempts: ATTEMPTS },
    );
  }
}

async function hasLocked(session: PoolClient, id: string): Promise<boolean> {
  try {
    return (await session.query<{ isMine: boolean }>(LOCK, [id])).rows[0]?.isMine === true;
  } catch (error) {
    session.release(true);
    throw error;
  }
}

/** Runs `work` in a transaction of the session. The caller discards a session that fails. */
function committed(session: PoolClient, work: () => Promise<void>): Promise<void> {
  return inTransactionOf(session, work, () => undefined);
}
