import type { Pool } from 'pg';
import { until } from './until';

/** Digest of the rows of each table, by `schema.table`. */
export type TableContents = Readonly<Record<string, string>>;

/** Every table of the register, of all its schemas. */
const TABLES = `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace n on n.oid = relnamespace
  where relkind in ('r', 'p') and nspname !~ '^(pg_|information_schema)' order by 1`;

/** The table in whose rows a sweep notes how far it has scanned for expiries, and its rows without that. */
const SCANNED = 'access.webhook';
const WITHOUT_PROGRESS = `(to_jsonb(row) - 'expiring_through')::text`;

/** Reads the contents of all tables at one instant. */
export async function tableContents(pool: Pool): Promise<TableContents> {
  const { rows: tables } = await pool.query<{ name: string }>(TABLES);
  const digests = tables.map(
    ({ name }) => `select '${name}' as name, md5(coalesce(string_agg(hash, '' order by hash), '')) as digest
      from (select md5(${name === SCANNED ? WITHOUT_PROGRESS : 'row::text'}) as hash from ${name} row) hashed`,
  );
  const { rows } = await pool.query<{ name: string; digest: string }>(digests.join(' union all '));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** Returns the tables whose contents differ. */
export function differences(before: TableContents, after: TableContents): string[] {
  return Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
}

/** Returns the contents when background tasks have ended: two reads one after the other are equal. */
export async function quietContents(pool: Pool): Promise<TableContents> {
  let last = await tableContents(pool);
  return until(async () => {
    const before = last;
    last = await tableContents(pool);
    return differences(before, last).length === 0 ? last : undefined;
  });
}
