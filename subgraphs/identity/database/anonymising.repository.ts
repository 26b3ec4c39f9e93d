import { setTimeout } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { RegisterError } from '../../../schema/register-error';
import { type Database, sessionOptions } from '../../server/database';
import type { DatabaseAddress } from '../../server/database-login';
import type { JobQueue } from '../../server/jobs';
import { type Session, inTransactionOf } from '../../server/transaction';
import { keepProvisional } from './provisional-record.repository';

/** What must be known of a record that is to be anonymised. */
export interface AnonymisableRecord {
  readonly id: string;
  readonly ir: string;
  readonly duid: string;
}

/** Name of the job that finishes or undoes what was begun. */
export const ANONYMISE = 'anonymise';

/** Seconds after which the job looks whether a begun anonymising was ended: it usually was. */
const LOOK_AFTER = 5;

/** Seconds after which a record that is closed is tried again: the access records of other Data Users end one by one. */
const TRY_AFTER = 60;

/** It ends with the record anonymised or not closing, however long another service is away. */
const ATTEMPTS = 30_000;

const LOCK = `select pg_try_advisory_lock(hashtextextended('anonymising ' || $1, 0)) as "isMine"`;
const UNLOCK = `select pg_advisory_unlock(hashtextextended('anonymising ' || $1, 0))`;

const MARK =
  'update identity_record set closing_at = coalesce(closing_at, register_now()) where id = $1 and anonymised_at is null';
const UNDO = 'update identity_record set closing_at = null where id = $1 and anonymised_at is null';
const STATE = `select duid, closing_at is not null as closing, closed_at is not null as "isClosed", anonymised_at as "anonymisedAt"
  from identity_record where id = $1`;
const CLOSED = 'update identity_record set closed_at = coalesce(closed_at, register_now()) where id = $1';

/** A supplier's session at the meter point has no record: it goes with the last one there. */
const END_SESSIONS_THERE = `
  delete from customer_session session using identity_record own
    where own.id = $1 and session.mpxn_index = own.mpxn_index and session.record_id is null
      and not exists (select from identity_record other where other.mpxn_index = own.mpxn_index and other.id <> own.id)`;

const ANONYMISED = `
  update identity_record set anonymised_at = coalesce($2::timestamptz, register_now()), closing_at = coalesce(closing_at, register_now()),
    mpxn_index = null, email_index = null, meter_point_id = null where id = $1 and anonymised_at is null`;

const END_SESSIONS = 'delete from customer_session where record_id = $1';

const DESTROY = [
  'delete from identity_keys.data_key where record_id = $1',
  'delete from passkey where record_id = $1',
  'delete from reidentification where record_id = $1',
  END_SESSIONS,
  'delete from sign_in_link where record_id = $1',
  'delete from identity_look where record_id = $1',
  'delete from idempotency_key where record_id = $1',
];

/** Contacts at the meter point of a record that no other record there has: what was noted of them goes with the record. */
const LAST_OF = (table: string, contact: string): string => `
  delete from ${table} noted using identity_record own
  where own.id = $1 and noted.mpxn_index = own.mpxn_index and not exists (
    select from identity_record other where other.mpxn_index = own.mpxn_index and other.id <> own.id
      and (other.email_index = noted.${contact}
        or exists (select from passkey where passkey.record_id = other.id and passkey.credential_hash = noted.${contact})))`;
const FORGET_CONTACTS = [
  LAST_OF('contact_verdict', 'contact'),
  LAST_OF('contact_contest', 'contact'),
  LAST_OF('contact_proof', 'one'),
  LAST_OF('contact_proof', 'other'),
];

/**
 * Destroys the data key, the blind indexes and all that hangs on a record, in the transaction of the session. The instant is that of a
 * list when a restore does it again, else now.
 */
export async function destroyPersonalData(session: Session, id: string, at?: string): Promise<void> {
  for (const statement of FORGET_CONTACTS) await session.query(statement, [id]);
  await session.query(END_SESSIONS_THERE, [id]);
  await session.query(ANONYMISED, [id, at ?? null]);
  for (const statement of DESTROY) await session.query(statement, [id]);
}

/** Records that were anonymised since ($1), and those whose data key is not there. */
const KEEP_TO_DESTROY = keepProvisional(`id = any($1)
  or not exists (select from identity_keys.data_key where record_id = provisional.id)`);

/**
 * Provisional records that a restore brought back and that must be anonymised become Identity Records like any other, so that they are: in
 * the transaction of the session.
 */
export async function keepToDestroy(session: Session, ids: readonly string[]): Promise<void> {
  await session.query(KEEP_TO_DESTROY, [ids]);
}

/** Sessions for the steps, which wait for another service: a pool of their own, so that nothing else waits for them. */
const SESSIONS = 2;

/** Milliseconds for which one who finds the steps of a record taken asks again, and between two askings. */
const ASK_FOR = 3_000;
const ASK_AGAIN_AFTER = 50;

/** Records that are closing without anybody at it: their jobs were lost, as in a restore. */
const FORGOTTEN = `select id from identity_record
  where closing_at < register_now() - interval '1 minute' and anonymised_at is null`;

/** Where a record stands on the way to being anonymised. */
export interface AnonymisingState {
  /** The Data User that registered it. */
  readonly duid: string;
  readonly closing: boolean;
  /** Whether its Data User was answered that it is closed: it is never taken back. */
  readonly isClosed: boolean;
  readonly anonymisedAt: Date | null;
}

/** The steps of anonymising one record, each repeatable. */
export interface AnonymisingSteps {
  /** Where the record stands. */
  state(): Promise<AnonymisingState>;
  /** Nothing is linked to the record any more; a job sees to it that this ends. */
  markClosing(): Promise<void>;
  /** It stays as it was. */
  undo(): Promise<void>;
  /** It stays closed, and ends the sessions of its customer; a job tries again. */
  delay(): Promise<void>;
  /** Its personal data cannot be read or found any more. */
  destroy(): Promise<void>;
}

/** Identity Records on their way to being anonymised (2-decisions-a-b.md, section 4). */
export class AnonymisingRepository {
  private readonly sessions: Pool;

  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly jobs: JobQueue,
    address: DatabaseAddress,
  ) {
    this.sessions = new Pool({ ...sessionOptions(address), max: SESSIONS });
    // A connection that breaks fails its next statement, or is replaced.
    this.sessions.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  }

  /** The record with a key, whosesoever it is. */
  async byRef(ref: string): Promise<AnonymisableRecord | undefined> {
    const text = 'select id, ref as ir, duid from identity_record where ref = $1';
    return (await this.database.pool.query<AnonymisableRecord>(text, [ref])).rows[0];
  }

  /**
   * Takes the steps of a record alone: whoever comes second waits until the first has ended them, or was killed. SYS002 when that
   * takes too long; what was begun is ended by its job.
   */
  async alone<Result>(id: string, work: (steps: AnonymisingSteps) => Promise<Result>): Promise<Result> {
    const session = await this.lockedSession(id);
    try {
      const result = await work(this.steps(session, id));
      await session.query(UNLOCK, [id]);
      session.release();
      return result;
    } catch (error) {
      session.release(true); // the lock ends with its session
      throw error;
    }
  }

  /** Ends its sessions. */
  close(): Promise<void> {
    return this.sessions.end();
  }

  /** Adds the jobs of records whose closing nobody ends. */
  async recallForgotten(): Promise<void> {
    const { rows } = await this.database.pool.query<{ id: string }>(FORGOTTEN);
    for (const { id } of rows) await this.addJob(this.database.pool, id, 0);
  }

  /** A session that has the lock of a record; nobody holds one while waiting for the lock. */
  private async lockedSession(id: string): Promise<PoolClient> {
    const deadline = performance.now() + ASK_FOR;
    do {
      const session = await this.sessions.connect();
      if (await hasLocked(session, id)) return session;
      session.release();
      await setTimeout(ASK_AGAIN_AFTER);
    } while (performance.now() < deadline);
    throw new RegisterError('SYS002');
  }

  private steps(session: PoolClient, id: string): AnonymisingSteps {
    return {
      state: async () => (await session.query(STATE, [id])).rows[0],
      undo: async () => void (await session.query(UNDO, [id])),
      markClosing: () =>
        committed(session, async () => {
          await session.query(MARK, [id]);
          await this.addJob(session, id, LOOK_AFTER);
        }),
      delay: () =>
        committed(session, async () => {
          for (const statement of [CLOSED, END_SESSIONS]) await session.query(statement, [id]);
          await this.addJob(session, id, TRY_AFTER);
        }),
      destroy: () => committed(session, () => destroyPersonalData(session, id)),
    };
  }

  private addJob(session: Session, id: string, afterSeconds: number): Promise<void> {
    return this.jobs.add(
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

/** A session that fails is given up by whoever has it. */
function committed(session: PoolClient, work: () => Promise<void>): Promise<void> {
  return inTransactionOf(session, work, () => undefined);
}
