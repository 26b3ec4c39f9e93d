import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { RegisterError } from '../../../schema/register-error';
import { type Database, openPool, sessionOptions } from '../../server/database/database';
import type { DatabaseAddress } from '../../server/database/database-login';
import { type RecoverableJob, recoverableJob } from '../../server/jobs/recoverable-job';
import { type Session, onlyRow } from '../../server/database/transaction';
import type { IdentityDependencies } from '../dependencies';
import { CLOSED, END_SESSIONS } from './personal-data-destruction.repository';

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

/**
 * Seconds until a closed record is tried again: a twentieth of the time since it was closed, from a minute to an hour. Records can be closed for
 * years, and access records of other Data Users end one by one.
 */
const RETRY_AFTER = `select least(3600, greatest(60, extract(epoch from register_now() - closed_at) / 20))::float8 as seconds
  from identity_record where id = $1`;

const LOCK = `select pg_try_advisory_lock(hashtextextended('anonymising ' || $1, 0)) as "isMine"`;
const UNLOCK = `select pg_advisory_unlock(hashtextextended('anonymising ' || $1, 0))`;

const MARK =
  'update identity_record set closing_at = coalesce(closing_at, register_now()) where id = $1 and anonymised_at is null';
/** A record that a restore closed again meanwhile stays closed. */
const UNDO =
  'update identity_record set closing_at = null where id = $1 and anonymised_at is null and closed_at is null';

/**
 * Sessions of the steps, which wait for another service. They have their own pool, so that the other sessions stay
 * available.
 */
const MAX_SESSIONS = 2;

/** Milliseconds in which a caller retries to lock a record that is locked, and between two attempts. */
const LOCK_ATTEMPTS_MS = 3_000;
const LOCK_RETRY_MS = 50;

/** Records whose anonymising is not complete. */
const INCOMPLETE = `select id from identity_record
  where closing_at < register_now() - interval '1 minute' and anonymised_at is null`;

/** Identity Records that are being anonymised (decisions A/B, 4). */
export class AnonymisingRepository {
  private readonly sessions: Pool;
  private readonly database: Pick<Database, 'pool'>;
  private readonly job: RecoverableJob;

  constructor({ database, jobs }: Pick<IdentityDependencies, 'database' | 'jobs'>, address: DatabaseAddress) {
    this.database = database;
    this.job = recoverableJob(jobs, ANONYMISE, INCOMPLETE);
    this.sessions = openPool({ ...sessionOptions(address), max: address.connections.reserve(MAX_SESSIONS) });
  }

  /** Returns the record with a key, of any Data User. */
  async byRef(ref: string): Promise<AnonymisableRecord | undefined> {
    const text = 'select id, ref as ir, duid from identity_record where ref = $1';
    return (await this.database.pool.query<AnonymisableRecord>(text, [ref])).rows[0];
  }

  /**
   * Runs `work` under an advisory lock on the record, in a session that it discards if `work` fails. A concurrent call retries for 3 s, then
   * throws SYS002; the job completes an interrupted run.
   */
  async withRecordLock<Result>(id: string, work: (session: Session) => Promise<Result>): Promise<Result> {
    const session = await this.lockedSession(id);
    try {
      const result = await work(session);
      await session.query(UNLOCK, [id]);
      session.release();
      return result;
    } catch (error) {
      session.release(true); // the lock ends with its session
      throw error;
    }
  }

  /** Rejects new links to a record, and adds a job that completes or undoes the anonymising. */
  async markClosing(session: Session, id: string): Promise<void> {
    await session.query(MARK, [id]);
    await this.job.add(session, id, CHECK_AFTER_SECONDS);
  }

  /** Removes the closing mark, unless the record is closed. */
  async undo(session: Session, id: string): Promise<void> {
    await session.query(UNDO, [id]);
  }

  /** Closes a record permanently, ends the sessions of its customer, and adds a job that tries again. */
  async closePermanently(session: Session, id: string): Promise<void> {
    await session.query(CLOSED, [id, null]);
    await session.query(END_SESSIONS, [id]);
    await this.retryLater(session, id);
  }

  /** Adds a job that tries again to anonymise a closed record. */
  async retryLater(session: Session, id: string): Promise<void> {
    const { seconds } = onlyRow(await session.query<{ seconds: number }>(RETRY_AFTER, [id]));
    await this.job.add(session, id, seconds);
  }

  /** Closes its sessions. */
  close(): Promise<void> {
    return this.sessions.end();
  }

  /** Adds the jobs of closing records without one. */
  requeueLostJobs(): Promise<void> {
    return this.job.requeueLost(this.database.pool);
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
}

async function hasLocked(session: PoolClient, id: string): Promise<boolean> {
  try {
    return (await session.query<{ isMine: boolean }>(LOCK, [id])).rows[0]?.isMine === true;
  } catch (error) {
    session.release(true);
    throw error;
  }
}
