import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import {
  BATCH,
  type BenchRows,
  COUNT_AGAIN,
  DOCUMENT,
  type IdentityRow,
  RECORDS_PER_METER_POINT,
  type RowsWanted,
  fillIdentityRecords,
  fillingSession,
  insertRecords,
} from './bench-rows';
import { goesOn, progress } from './progress';

/**
 * Number of records that the bench reads by key and meter point, the same in a small and in a large register. No
 * request reads the others.
 */
const KNOWN_RECORDS = 20_000;
/** Pages of `access_record` whose history one statement makes: some 70,000 records. */
const PAGES_AT_ONCE = 10_000;
/** Seconds from one registration to the next: a million records in 30 days, whatever the number of records. */
const SECONDS_BETWEEN = 2.6;

/**
 * Makes records with their versions, transitions and events, without triggers; secondary indexes are built when the
 * rows are there.
 */
export async function fillManyRows(wanted: RowsWanted): Promise<BenchRows> {
  const client = await fillingSession(wanted);
  try {
    const identities = await fillIdentityRecords(client, wanted);
    const indexes = await dropIndexes(client);
    const rows = await fillRecords(client, wanted, identities);
    await fillHistory(client, wanted);
    for (const definition of indexes) {
      await patiently(client.query(definition));
      progress(/^create (?:unique )?index (\S+)/i.exec(definition)?.[1] ?? definition);
    }
    await patiently(client.query('vacuum analyze'));
    await patiently(client.query('checkpoint'));
    await client.query(COUNT_AGAIN);
    return rows;
  } finally {
    await client.end();
  }
}

/** Records progress during a statement that cannot be split. */
async function patiently(statement: Promise<unknown>): Promise<void> {
  const timer = setInterval(() => goesOn('a statement runs'), 1_000);
  try {
    await statement;
  } finally {
    clearInterval(timer);
  }
}

/** Drops the indexes that no constraint needs; returns their definitions. */
async function dropIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = any (array['access_record', 'access_record_version', 'access_record_transition', 'event']::regclass[])
       and not exists (select from pg_constraint where conindid = indexrelid)`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await client.query(`set maintenance_work_mem = '512MB'`);
  return rows.map(({ definition }) => definition);
}

/** Records that no request reads: of the same size, under random keys. */
const UNKNOWN_RECORDS = `
  insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, meter_point_id, state, legal_basis,
    registered_at, expiry, created_at, document)
  select gen_random_uuid(), uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), $3, $1, identity.id, ref, meter_point_id,
    'ACTIVE', 'uk-consent', register_now(), register_now() + interval '300 days', register_now() - random() * interval '300 days', $2::jsonb
  from unnest($4::uuid[], $5::text[], $6::text[]) identity (id, ref, meter_point_id)
    cross join generate_series(1, ${RECORDS_PER_METER_POINT})`;

/** Bytes of an encrypted access key. */
const ENCRYPTED_KEY_BYTES = 56;

async function fillRecords(client: Client, wanted: RowsWanted, identities: readonly IdentityRow[]): Promise<BenchRows> {
  const perBatch = BATCH / RECORDS_PER_METER_POINT;
  const everyOther = Math.max(1, Math.floor(wanted.records / KNOWN_RECORDS));
  const known: IdentityRow[] = [];
  const accessKeys: string[] = [];
  for (let from = 0; from < identities.length; from += perBatch) {
    const batch = identities.slice(from, from + perBatch);
    const readable = batch.filter((_, index) => (from + index) % everyOther === 0);
    const others = batch.filter((_, index) => (from + index) % everyOther !== 0);
    const records = readable.flatMap((identity) => recordsOf(identity));
    await insertRecords(client, wanted, records);
    await client.query(UNKNOWN_RECORDS, [
      ...[wanted.duid, JSON.stringify(DOCUMENT), randomBytes(ENCRYPTED_KEY_BYTES)],
      others.map(({ id }) => id),
      others.map(({ ref }) => ref),
      others.map(({ meterPointId }) => meterPointId),
    ]);
    known.push(...readable);
    accessKeys.push(...records.map(({ key }) => key));
    progress(`${(from + batch.length) * RECORDS_PER_METER_POINT} of ${wanted.records} records are made`);
  }
  return { accessKeys, mpxns: known.map(({ mpxn }) => mpxn), identityRecords: known.map(({ ref }) => ref) };
}

const recordsOf = (identity: IdentityRow) =>
  Array.from({ length: RECORDS_PER_METER_POINT }, () => ({
    id: randomUUID(),
    key: `ak_${randomBytes(12).toString('hex')}`,
    identity,
  }));

/**
 * The history of the records in a range of pages that have none; the events were recorded so many seconds ago, and one
 * after the other.
 */
const HISTORY = `
  with record as materialized (
    select *, register_now() - ($3::float8 - ${SECONDS_BETWEEN} * row_number() over ()) * interval '1 second' as at from access_record
    where ctid >= $1::tid and ctid < $2::tid
      and not exists (select from access_record_transition where record_id = access_record.id offset 0)),
  version as (
    insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document, recorded_at)
    select id, 1, 'bench', legal_basis, registered_at, expiry, document, at from record),
  transition as (
    insert into access_record_transition (record_id, number, at, to_state, cause, account_id)
    select id, 1, at, state, 'registered', 'bench' from record)
  insert into event (type, occurred_at, recorded_at, duid, record_id, transition)
  select 'access.registered', at, at, duid, id, 1 from record order by at`;

async function fillHistory(client: Client, { records }: RowsWanted): Promise<void> {
  const { rows } = await client.query<{ pages: number }>(
    `select (pg_relation_size('access_record') / current_setting('block_size')::int)::int as pages`,
  );
  const pages = rows[0]?.pages ?? 0;
  let made = 0;
  for (let from = 0; from < pages; from += PAGES_AT_ONCE) {
    const secondsAgo = (records - made) * SECONDS_BETWEEN;
    const values = [`(${from},0)`, `(${from + PAGES_AT_ONCE},0)`, secondsAgo];
    made += (await client.query(HISTORY, values)).rowCount ?? 0;
    progress(`${made} of ${records} records have their history`);
  }
}
