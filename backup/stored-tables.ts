import type { Client } from 'pg';

/** Schema of the data keys, backed up apart with a short retention. */
export const DATA_KEYS = 'identity_keys';

/** Schemas of the ordinary backup. Jobs are not in it: a mail that waited is not sent twice, and what was closing is found again. */
export const REGISTER_SCHEMAS = ['access', 'identity', 'grid_models', 'tariffs'] as const;

/** A table as far as it is backed up. */
export interface StoredTable {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** Condition of the rows that are backed up. */
  readonly only: string;
}

/**
 * Left out: what belongs to the installation, and what opens a door for a while. A session that was ended, a link or a token that was used
 * since must not live again.
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
];

/** Rows left out for the same reason: a kept answer to a re-identification has its token, and an address that was written to. */
const ONLY: Readonly<Record<string, string>> = { idempotency_key: `operation not like 'reidentify%'` };

const TABLES = `
  select n.nspname as schema, c.relname as table, array_agg(quote_ident(a.attname) order by a.attnum) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where n.nspname = any($1) and c.relkind = 'r' and c.relname <> all($2)
  group by n.nspname, c.relname, c.oid order by c.oid`;

/** The tables of some schemas, in the order in which migrations made them: none refers to a later one. */
export async function tablesOf(session: Client, schemas: readonly string[]): Promise<StoredTable[]> {
  const { rows } = await session.query<Omit<StoredTable, 'only'>>(TABLES, [schemas, LEFT_OUT]);
  return rows.map((stored) => ({ ...stored, only: ONLY[stored.table] ?? 'true' }));
}
