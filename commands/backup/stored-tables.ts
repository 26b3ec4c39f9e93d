import type { Client } from 'pg';

/** Schemas of the data keys. Their backups are separate and have a short retention. */
export const DATA_KEYS: readonly string[] = ['identity_keys', 'access_keys', 'tariffs_keys'];

/**
 * Schemas of the backup of the register. It excludes jobs: queued mails must not be sent twice, and sweeps of the register
 * add again the jobs of unfinished anonymisations, announcements and provisional records. The jobs `note-contests` are
 * lost: the next sign-in at the meter point records the contest.
 */
export const REGISTER_SCHEMAS = ['access', 'identity', 'grid_models', 'tariffs'] as const;

/** The columns and rows of a table that are backed up. */
export interface StoredTable {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** Condition of the rows that are backed up. */
  readonly only: string;
}

/**
 * Tables that are not backed up: those of the installation, counts that are made again, and short-lived credentials. A
 * restore must not revive a session, link or token that was ended or used after the backup.
 */
const LEFT_OUT = [
  'migration',
  'key_check',
  'event_timeline',
  'rate_limit',
  'customer_session',
  'sign_in_link',
  'sign_in_attempt',
  'contact_link',
  'reidentification',
  'ceremony',
  'portal_alias',
  'consumed_token',
  'upload',
  'record_count',
  'record_count_position',
  'legal_basis_change',
];

/** Excludes stored responses to re-identifications, which contain a token and an email address. */
const ONLY: Readonly<Record<string, string>> = { idempotency_key: `operation not like 'reidentify%'` };

/** Selects the tables of schemas, partitioned ones as a whole. Foreign keys that are checked at commit order nothing. */
const TABLES = `
  with recursive reference as (
    select conrelid, confrelid from pg_constraint where contype = 'f' and not condeferred and conrelid <> confrelid
  ), level (relid, number) as (
    select oid, 0 from pg_class union select conrelid, number + 1 from level join reference on confrelid = relid
  )
  select n.nspname as schema, c.relname as table, array_agg(quote_ident(a.attname) order by a.attnum) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all($2)
  group by n.nspname, c.relname, c.oid order by (select max(number) from level where relid = c.oid), c.oid`;

/** Returns the tables of schemas in an order in which no table refers to a later one. */
export async function tablesOf(session: Client, schemas: readonly string[]): Promise<StoredTable[]> {
  const { rows } = await session.query<Omit<StoredTable, 'only'>>(TABLES, [schemas, LEFT_OUT]);
  return rows.map((stored) => ({ ...stored, only: ONLY[stored.table] ?? 'true' }));
}
