import { randomBytes, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { LOWEST_UUID } from '../../schema/identifiers';
import type { Purge } from './retention';
import { encryptValue, decryptValue } from './encryption';
import { clocksAgree } from './database/register-clock';
import { type Session, inTransaction } from './database/transaction';

const KEY_BYTES = 32;
/** Keys that one statement of the sweep reads. */
const MAX_SLICE_SIZE = 1_000;
/** Attempts to obtain a key that a concurrent transaction destroys each time. */
const MAX_TRIES = 5;

/**
 * The schemas of one subgraph: its tables, and the keys of its occupancies beside them. Its migration defines `occupancy_key_is_due(key)`,
 * the only definition of which keys are destroyed.
 */
export interface KeyedSubgraph {
  readonly tables: string;
  readonly keys: string;
  /** SQL type of the beginning of an occupancy. */
  readonly began: 'date' | 'timestamptz';
}

/** Occupancy of premises. */
export interface KeyedOccupancy {
  /** Blind index under which the subgraph stores the premises. */
  readonly premises: Buffer;
  /** Beginning as PostgreSQL writes it; `-infinity` for the occupancy before the first change. */
  readonly began: string;
}

/** Key of an occupancy as it is stored; null if it was destroyed or never existed. */
export interface WrappedOccupancyKey {
  readonly keyId: string | null;
  readonly wrappedKey: Buffer | null;
}

/** Key of an occupancy that stays until the transaction ends. */
export interface OccupancyKey {
  readonly id: string;
  /** Encrypts a value for one row (`bound`). */
  encryptValue(plain: string, bound: string): Buffer;
}

/**
 * Keys of occupancies (decisions A/B, 12): values that are encrypted under a key are unreadable once the key is
 * destroyed.
 */
export interface OccupancyKeys {
  /**
   * Returns the keys of occupancies in the given order, and creates missing ones. Concurrent callers receive the same key. No
   * transaction destroys one of them before the transaction of the session ends.
   */
  obtain(session: Session, occupancies: readonly KeyedOccupancy[]): Promise<OccupancyKey[]>;
  /** Decrypts a value of one row; null when the key was destroyed. */
  open(key: WrappedOccupancyKey, sealed: Buffer, bound: string): string | null;
}

/**
 * Creates the keys of occupancies, and the requests to erase them before their time, with the account that requested it (null for a
 * customer). The sweep and the guard of deletions share `occupancy_key_is_due`.
 */
export const CREATE_OCCUPANCY_KEYS = ({ tables, keys, began }: KeyedSubgraph): string => `
  create schema if not exists ${keys};
  create table ${keys}.occupancy_key (
    id uuid primary key,
    premises bytea not null check (octet_length(premises) = 32),
    began ${began} not null,
    wrapped bytea not null,
    unique (premises, began)
  ) with (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0);
  create table ${tables}.occupancy_erasure (
    key_id uuid primary key,
    requested_at timestamptz not null default register_now(),
    account_id text
  )`;

/**
 * Trigger that rejects every update of a key, and the deletion of a key that is not due. It calls
 * `occupancy_key_is_due`.
 */
export const GUARD_OCCUPANCY_KEYS = ({ tables, keys }: KeyedSubgraph): string => `
  create function ${tables}.guard_occupancy_key() returns trigger language plpgsql set search_path = ${tables}, register, pg_temp as $$
    begin
      if tg_op = 'UPDATE' then
        raise exception 'the key of an occupancy is not rewritten' using errcode = 'restrict_violation';
      end if;
      if not occupancy_key_is_due(old) then
        raise exception 'the key of an occupancy is not destroyed before its time' using errcode = 'restrict_violation';
      end if;
      return old;
    end $$;
  create trigger not_before_its_time before update or delete on ${keys}.occupancy_key
    for each row execute function ${tables}.guard_occupancy_key()`;

/** Rights of a login on its keys. PostgreSQL requires `update` on a column to lock a row; the guard rejects every update. */
export const occupancyKeyRights = ({ tables, keys }: KeyedSubgraph, role: string): string => `
  grant usage on schema ${keys} to ${role};
  grant select, insert, delete, update (id) on ${keys}.occupancy_key to ${role};
  grant select, insert on ${tables}.occupancy_erasure to ${role};`;

/** Keys of the occupancies of a subgraph, wrapped under its encryption key. */
export function occupancyKeys({ keys, began }: KeyedSubgraph, encryptionKey: Buffer): OccupancyKeys {
  const make = `insert into ${keys}.occupancy_key (id, premises, began, wrapped)
    select * from unnest($1::uuid[], $2::bytea[], $3::${began}[], $4::bytea[]) made order by 2, 3 on conflict do nothing`;
  const read = `select place::int, id, wrapped from unnest($1::bytea[], $2::${began}[]) with ordinality wanted (premises, began, place)
    join ${keys}.occupancy_key using (premises, began) order by premises, began for key share of occupancy_key`;
  const unwrapped = (id: string, wrapped: Buffer) => decryptValue(encryptionKey, wrapped, `occupancy_key ${id}`);

  const locked = async (session: Session, columns: unknown[]) => {
    const { rows } = await session.query<{ place: number; id: string; wrapped: Buffer }>(read, columns);
    return rows.toSorted((one, other) => one.place - other.place);
  };
  return {
    async obtain(session, occupancies) {
      const columns = [occupancies.map(({ premises }) => premises), occupancies.map((each) => each.began)];
      for (let tries = 1; ; tries += 1) {
        const ids = occupancies.map(() => randomUUID());
        const made = ids.map((id) => encryptValue(encryptionKey, randomBytes(KEY_BYTES), `occupancy_key ${id}`));
        await session.query(make, [ids, ...columns, made]);
        const rows = await locked(session, columns);
        if (rows.length === occupancies.length)
          return rows.map(({ id, wrapped }) => ({
            id,
            encryptValue: (plain, bound) => encryptValue(unwrapped(id, wrapped), plain, bound),
          }));
        if (tries === MAX_TRIES) throw new Error('creating the key of an occupancy failed 5 times');
      }
    },
    open({ keyId, wrappedKey }, sealed, bound) {
      if (keyId === null || wrappedKey === null) return null;
      return decryptValue(unwrapped(keyId, wrappedKey), sealed, bound).toString('utf8');
    },
  };
}

/**
 * Destroys the given keys that are due; returns their number. Leaves a key that a concurrent transaction has locked to the next run.
 * Evaluates the rule after the keys are locked: until then a concurrent transaction may encrypt a value under one of them.
 */
export async function destroyDueKeys(
  session: Session,
  { tables, keys }: KeyedSubgraph,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const lock = `select id from ${keys}.occupancy_key where id = any($1::uuid[]) order by id for update skip locked`;
  const destroy = `delete from ${keys}.occupancy_key k where id = any($1::uuid[]) and ${tables}.occupancy_key_is_due(k)`;
  const { rows } = await session.query<{ id: string }>(lock, [ids]);
  return (await session.query(destroy, [rows.map(({ id }) => id)])).rowCount ?? 0;
}

/** Records that keys are to be destroyed before their time, and destroys those that are due; returns their number. */
export async function eraseKeys(
  session: Session,
  subgraph: KeyedSubgraph,
  ids: readonly string[],
  accountId: string | null,
): Promise<number> {
  await session.query(
    `insert into ${subgraph.tables}.occupancy_erasure (key_id, account_id) select *, $2 from unnest($1::uuid[]) on conflict do nothing`,
    [ids, accountId],
  );
  return destroyDueKeys(session, subgraph, ids);
}

/**
 * Returns a function that examines the next slice of all keys of a subgraph and destroys those that are due, unless a
 * clock has jumped. It returns 0 after the last slice.
 */
export function dueKeys(pool: Pool, subgraph: KeyedSubgraph): Purge {
  const slice = `select id, ${subgraph.tables}.occupancy_key_is_due(k) and ${clocksAgree('$2')} as "isDue"
    from (select * from ${subgraph.keys}.occupancy_key where id > $1 order by id limit ${MAX_SLICE_SIZE}) k order by id`;
  let after = LOWEST_UUID;
  return async () => {
    const { rows } = await pool.query<{ id: string; isDue: boolean }>(slice, [after, new Date()]);
    after = rows.at(-1)?.id ?? LOWEST_UUID;
    const due = rows.filter(({ isDue }) => isDue).map(({ id }) => id);
    if (due.length > 0) await inTransaction(pool, (session) => destroyDueKeys(session, subgraph, due));
    return rows.length;
  };
}
