import { randomBytes, randomUUID } from 'node:crypto';
import type { Client, Pool } from 'pg';
import type { LegalBasis } from '../../subgraphs/access/records/access-record';
import { DUID } from './access-database';
import { until } from './until';

type Session = Pick<Client | Pool, 'query'>;

/** A subscription; times and windows in days. */
export interface WebhookChange {
  readonly duid?: string;
  readonly days?: number;
  readonly types?: readonly string[];
}

const ALL_TYPES = ['consent.expiring', 'tenancy.change', 'consent.withdrawal'];

/** Registers a subscription, as the application does; returns its internal id. */
export async function putWebhook(session: Session, change: WebhookChange = {}): Promise<string> {
  const { duid = DUID, days = 30, types = ALL_TYPES } = change;
  const { rows } = await session.query<{ id: string }>(
    `insert into webhook (wid, duid, callback_hash, callback_sealed, alert_email_sealed, notify_days_before, event_types)
     values ($1, $2, $3, '\\x01', '\\x01', $4, $5) returning id`,
    [`wid_${randomBytes(12).toString('hex')}`, duid, randomBytes(32), days, types],
  );
  return rows[0]?.id as string;
}

/** A record at its registration; its expiry is an interval from now. */
export interface RegisteredRecord {
  readonly duid?: string;
  readonly legalBasis?: LegalBasis;
  readonly expiresIn?: string | null;
}

/** Registers a record with its history in one statement, as the application does; returns its id. */
export async function register(session: Session, change: RegisteredRecord = {}): Promise<string> {
  const { duid = DUID, legalBasis = 'uk-consent', expiresIn = null } = change;
  const id = randomUUID();
  await session.query(
    `with record as (
       insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, meter_point_id, state,
         legal_basis, registered_at, expiry, document)
       select $1, $2, '\\x01', $3, gen_random_uuid(), 'ir', 'meter point',
         case when $5::interval <= interval '0' then 'EXPIRED' else 'ACTIVE' end, $4, register_now(), register_now() + $5::interval, '{}'
       returning *),
     version as (
       insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document)
       select id, 1, 'acc', legal_basis, registered_at, expiry, document from record)
     insert into access_record_transition (record_id, number, to_state, cause) select id, 1, state, 'registered' from record`,
    [id, randomBytes(32), duid, legalBasis, expiresIn],
  );
  return id;
}

/**
 * Inserts many ACTIVE records as the owner of the tables, with their history; `expiry` is an SQL expression with the
 * record's number `n`, from 1.
 */
export async function putMany(
  owner: Client,
  count: number,
  legalBasis: LegalBasis,
  expiry: string,
  duid = DUID,
): Promise<void> {
  await owner.query(`set session_replication_role = 'replica'`);
  await owner.query(
    `with record as (
       insert into access_record (id, key_hash, key_sealed, duid, meter_point_id, state, legal_basis, registered_at, expiry, document)
       select gen_random_uuid(), uuid_send(gen_random_uuid()), '\\x01', $3, 'meter point', 'ACTIVE', $2, register_now(), ${expiry}, '{}'
       from generate_series(1, $1::int) n returning *),
     version as (
       insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document)
       select id, 1, 'acc', legal_basis, registered_at, expiry, document from record)
     insert into access_record_transition (record_id, number, to_state, cause) select id, 1, state, 'registered' from record`,
    [count, legalBasis, duid],
  );
  await owner.query(`set session_replication_role = 'origin'`);
  await owner.query('vacuum analyze access_record');
}

/** Moves the expiry of a record, as a replacement does, to an interval from now. */
export const replace = (session: Session, id: string, expiresIn: string): Promise<void> =>
  replaceExpiry(session, id, 'register_now() + $2::interval', expiresIn);

/** Moves the expiry of a record, as a replacement does, to an instant in the text of PostgreSQL. */
export const replaceAt = (session: Session, id: string, expiry: string): Promise<void> =>
  replaceExpiry(session, id, '$2::timestamptz', expiry);

async function replaceExpiry(session: Session, id: string, expiry: string, value: string): Promise<void> {
  await session.query(
    `with record as (
       update access_record set version = version + 1, expiry = ${expiry}, legal_basis = legal_basis, state = state
       where id = $1 returning *)
     insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document)
     select id, version, 'acc', legal_basis, registered_at, expiry, document from record`,
    [id, value],
  );
}

/** Ends a record by its customer (`withdrawn`) or its Data User (`revoked`). */
export async function end(session: Session, id: string, cause: 'withdrawn' | 'revoked'): Promise<void> {
  await session.query(
    `with record as (
       update access_record set state = 'REVOKED', revoked_at = register_now() where id = $1 and state = 'ACTIVE' returning id)
     insert into access_record_transition (record_id, number, from_state, to_state, cause, reason)
     select id, 2, 'ACTIVE', 'REVOKED', $2, 'customer-request' from record`,
    [id, cause],
  );
}

/** A row of the log; tests read its columns by name. */
type LoggedRow = Record<string, ReturnType<typeof JSON.parse>>;

/** Plans the deliveries of all events in the outbox, as the engine does after each commit. */
export async function fanOutAll(session: Session): Promise<void> {
  await until(async () => {
    await session.query('select from fan_out(250)');
    return (await session.query('select from fanout')).rowCount === 0 ? true : undefined;
  });
}

/** Returns the events of a record after the fan-out, oldest first. */
export async function eventsOf(session: Session, recordId: string): Promise<LoggedRow[]> {
  await fanOutAll(session);
  const { rows } = await session.query('select * from event where record_id = $1 order by era, tx, position', [
    recordId,
  ]);
  return rows;
}

/**
 * Returns the deliveries of a subscription about a subject after the fan-out, in sequence: the type and outcome of
 * each.
 */
export async function deliveriesOf(session: Session, webhookId: string, subject: string): Promise<string[]> {
  await fanOutAll(session);
  const { rows } = await session.query<{ text: string }>(
    `select event.type || ' ' || delivery.state as text from delivery join event on event.id = event_id
     where endpoint_id = $1 and subject = $2 order by sequence`,
    [webhookId, subject],
  );
  return rows.map(({ text }) => text);
}
