import type { Client } from 'pg';

/**
 * Tables of `access` that grow with the records and are read by key, and the column of which a hash partitions each.
 */
const HOT_TABLES: Readonly<Record<string, string>> = {
  'access.access_record': 'id',
  'access.access_record_version': 'record_id',
  'access.access_record_transition': 'record_id',
  'access.look': 'record_id',
  'access.idempotency_key': 'key_hash',
  'access_keys.reference_key': 'record_id',
};

const PARTITIONS = 4;

/** Returns the statements that recreate everything of a table except its columns and checks. */
interface TableParts {
  readonly indexes: readonly {
    readonly name: string;
    readonly definition: string;
    readonly isUnique: boolean;
    readonly hasKey: boolean;
    readonly constraint: string | null;
  }[];
  readonly foreignKeys: readonly { readonly table: string; readonly name: string; readonly definition: string }[];
  readonly triggers: readonly string[];
  readonly grants: readonly string[];
  readonly options: string | null;
}

const INDEXES = `
  select relname as name, pg_get_indexdef(indexrelid) as definition, indisunique as "isUnique",
    exists (select from pg_attribute where attrelid = indrelid and attname = $2 and attnum = any (indkey::int2[])) as "hasKey",
    (select format('alter table %s add constraint %I %s', $1::text, conname, pg_get_constraintdef(oid)) from pg_constraint
      where conindid = indexrelid and contype in ('p', 'u') and conrelid = indrelid) as constraint
  from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = $1::text::regclass`;

const FOREIGN_KEYS = `
  select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and conparentid = 0 and $1::text::regclass in (conrelid, confrelid)`;

const TRIGGERS = `select pg_get_triggerdef(oid) as definition from pg_trigger where tgrelid = $1::text::regclass and not tgisinternal`;

const GRANTS = `
  select format('grant %s on %s to %s', privilege_type, $1::text, quote_ident(rolname)) as definition
  from pg_class, aclexplode(relacl) join pg_roles on pg_roles.oid = grantee where pg_class.oid = $1::text::regclass and grantee <> relowner
  union all
  select format('grant %s (%I) on %s to %s', privilege_type, attname, $1::text, quote_ident(rolname))
  from pg_attribute, aclexplode(attacl) join pg_roles on pg_roles.oid = grantee where attrelid = $1::text::regclass`;

async function partsOf(owner: Client, table: string, key: string): Promise<TableParts> {
  const rows = async <Row extends object>(text: string, ...more: string[]) =>
    (await owner.query<Row>(text, [table, ...more])).rows;
  const definitions = async (text: string) =>
    (await rows<{ definition: string }>(text)).map(({ definition }) => definition);
  const [{ options = null } = {}] = await rows<{ options: string | null }>(
    `select array_to_string(reloptions, ', ') as options from pg_class where oid = $1::text::regclass`,
  );
  return {
    indexes: await rows(INDEXES, key),
    foreignKeys: await rows(FOREIGN_KEYS),
    triggers: await definitions(TRIGGERS),
    grants: await definitions(GRANTS),
    options,
  };
}

/**
 * Replaces hot tables of `access`, by default all, by tables with hash partitions, with their rows, as an operator would:
 * recreates everything that PostgreSQL admits on a partitioned table. Returns the unique indexes and constraints that it
 * does not admit, because they lack the partition key; they become plain indexes.
 */
export async function partitionByHash(owner: Client, hotTables = Object.keys(HOT_TABLES)): Promise<string[]> {
  const lost: string[] = [];
  const foreignKeys = new Map<string, string>();
  await owner.query(`begin; set local session_replication_role = replica; set local search_path = access, register`);
  const tables = [];
  for (const [table, key] of Object.entries(HOT_TABLES).filter(([name]) => hotTables.includes(name))) {
    const parts = await partsOf(owner, table, key);
    tables.push({ table, key, parts });
    for (const each of parts.foreignKeys)
      foreignKeys.set(each.name, `alter table ${each.table} add constraint ${each.name} ${each.definition}`);
  }
  for (const { parts } of tables)
    for (const { table, name } of parts.foreignKeys)
      await owner.query(`alter table ${table} drop constraint if exists ${name}`);
  for (const { table, key, parts } of tables) lost.push(...(await replaceTable(owner, table, key, parts)));
  for (const definition of foreignKeys.values()) await owner.query(definition);
  await owner.query('commit');
  await owner.query('analyze');
  return lost.toSorted();
}

async function replaceTable(owner: Client, table: string, key: string, parts: TableParts): Promise<string[]> {
  const whole = `${table}_whole`;
  await owner.query(`alter table ${table} rename to ${whole.split('.')[1]}`);
  await owner.query(
    `create table ${table} (like ${whole} including defaults including constraints) partition by hash (${key})`,
  );
  for (let part = 0; part < PARTITIONS; part += 1)
    await owner.query(
      `create table ${table}_${part} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${part})
       ${parts.options ? `with (${parts.options})` : ''}`,
    );
  await owner.query(`insert into ${table} select * from ${whole}`);
  await owner.query(`drop table ${whole}`);
  for (const { definition, isUnique, hasKey, constraint } of parts.indexes)
    await owner.query(
      isUnique && !hasKey ? definition.replace('CREATE UNIQUE INDEX', 'CREATE INDEX') : (constraint ?? definition),
    );
  for (const definition of [...parts.triggers, ...parts.grants]) await owner.query(definition);
  return parts.indexes.filter(({ isUnique, hasKey }) => isUnique && !hasKey).map(({ name }) => name);
}
