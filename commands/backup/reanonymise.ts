import type { Client } from 'pg';
import { endLinked, rejectLinks } from '../../subgraphs/access/identity-links/closing.repository';
import { IDENTITY_OCCUPANCIES } from '../../subgraphs/identity/occupancy/identity-occupancies.queries';
import {
  adoptProvisional,
  anonymiseAgain,
  closeAgain,
} from '../../subgraphs/identity/anonymisation/personal-data-destruction.repository';
import { BEGIN_EVENT_ERA } from '../../subgraphs/server/event-log/event-era';
import { type KeyedSubgraph, eraseKeys } from '../../subgraphs/server/occupancy-keys';
import { TARIFF_OCCUPANCIES } from '../../subgraphs/tariffs/occupancies/tariff-occupancies.sql';
import type { AnonymisedList, Instants } from './anonymised-list';

/** Counts of the repeated erasures. */
export interface Reanonymised {
  /** Identity Records that were anonymised after the backup. */
  readonly anonymisedAgain: number;
  /** Identity Records that were closed after the backup: closed again now, anonymised later. */
  readonly closedAgain: number;
  /** Keys of occupancies that were erased on request after the backup. */
  readonly erasedAgain: number;
  /**
   * Keys whose erasure was requested, but which are still used: in this database their occupancy has not ended, or its change of tenancy
   * is not announced. The register destroys them once they are due.
   */
  readonly keysNotDue: number;
  /** Identity Records without a data key: unreadable, therefore anonymised. */
  readonly withoutDataKey: number;
  /** MPxNs that are still used and whose key is missing. */
  readonly withoutOccupancyKey: number;
  /** ACTIVE access records of anonymised Identity Records: revoked. */
  readonly revoked: number;
  /** Sessions, links, re-identifications and aliases that were ended; undefined unless the operator requested it. */
  readonly credentialsEnded?: number;
}

/** Options of the command. */
export interface ReanonymiseOptions {
  /** True to anonymise records without a data key; otherwise they are an error. */
  readonly withoutDataKeys: boolean;
  /**
   * True to end short-lived credentials, some of which may have been ended or used after the instant of the database, and to
   * start new epochs of the event logs, some of whose events may be lost.
   */
  readonly endSessions?: boolean;
}

/** Tables of short-lived credentials. Links to prove a contact and ceremonies are deleted with the rows that they refer to. */
const CREDENTIALS = [
  'identity.customer_session',
  'identity.sign_in_link',
  'identity.sign_in_attempt',
  'identity.reidentification',
  'access.portal_alias',
];

/** A repeat of a request must not receive a re-identification that was ended. */
const RESPONSES = `delete from identity.idempotency_key where operation like 'reidentify%'`;

const LIVE = 'select id from identity.identity_record where anonymised_at is null and id = any($1) order by id';

/** Selects listed records that are closed and not anonymised. */
const CLOSED = `select id from identity.identity_record
  where closed_at is not null and anonymised_at is null and id = any($1) order by id`;

/** Selects records without a data key that are not in a list. */
const UNREADABLE = `select r.id from identity.identity_record r where r.anonymised_at is null and r.id <> all($1)
  and not exists (select from identity_keys.data_key k where k.record_id = r.id) order by id`;

/** Deletes the data keys of missing and of anonymised records. */
const KEYS_OF_NOTHING = `delete from identity_keys.data_key k
  where not exists (select from identity.identity_record r where r.id = k.record_id and r.anonymised_at is null)
    and not exists (select from identity.provisional_identity_record p where p.id = k.record_id)`;

/** Selects keys whose erasure is in the list, or in the register, which may be newer than the backup of its keys. */
const ERASED_KEYS = ({ tables, keys }: KeyedSubgraph): string => `
  select id from ${keys}.occupancy_key where id = any($1) or id in (select key_id from ${tables}.occupancy_erasure)`;

/** Selects MPxNs without a key: of current occupancies in `tariffs`, and of changes of tenancy not yet announced. */
const UNREADABLE_MPXNS = `
  select sealed.key_id as id from tariffs.occupancy_mpxn sealed
  where began = tariffs.occupancy_began(mpxn_hash, register.register_now())
    and not exists (select from tariffs_keys.occupancy_key where id = key_id)
  union all
  select change.id from identity.change_of_tenancy change where key_id is not null and announced_at is null
    and not exists (select from identity_keys.occupancy_key key where key.id = change.key_id)`;

/**
 * Repeats the erasures of a list in both subgraphs. Idempotent, and safe while the register runs. It changes nothing if a
 * needed key is missing. Each Identity Record is anonymised in its own transaction, so that registrations wait briefly
 * and the locks of all records do not fill the lock table of the server.
 */
export async function reanonymise(
  session: Client,
  list: AnonymisedList,
  options: ReanonymiseOptions,
): Promise<Reanonymised> {
  const erased = await committed(session, () => eraseAgain(session, list, options));
  for (const id of erased.stillClosed) await committed(session, () => rejectLinks(session, id));
  let revoked = 0;
  for (const id of [...erased.listed, ...erased.unreadable]) {
    revoked += await committed(session, () => anonymise(session, id, list.anonymised.get(id)));
  }
  return { ...erased.done, revoked };
}

/** Runs `work` in a transaction of the session. */
async function committed<Result>(session: Client, work: () => Promise<Result>): Promise<Result> {
  await session.query('begin');
  try {
    const result = await work();
    await session.query('commit');
    return result;
  } catch (error) {
    await session.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function endCredentials(session: Client): Promise<number> {
  let ended = 0;
  for (const table of CREDENTIALS) ended += (await session.query(`delete from ${table}`)).rowCount ?? 0;
  await session.query(RESPONSES);
  return ended;
}

async function eraseAgain(
  session: Client,
  { anonymised, closed, occupancyKeys }: AnonymisedList,
  { withoutDataKeys, endSessions = false }: ReanonymiseOptions,
) {
  await session.query('set local search_path = identity, register');
  const ids = [...anonymised.keys()];
  await adoptProvisional(session, [...ids, ...closed.keys()]);
  const listed = await idsOf(session, LIVE, [ids]);
  await session.query(KEYS_OF_NOTHING);
  const unreadable = await idsOf(session, UNREADABLE, [ids]);
  const done = {
    anonymisedAgain: listed.length,
    closedAgain: await closeAgain(session, closed),
    ...(await eraseKeysAgain(session, occupancyKeys)),
    withoutDataKey: unreadable.length,
    withoutOccupancyKey: (await idsOf(session, UNREADABLE_MPXNS)).length,
  };
  if (!withoutDataKeys) rejectUnreadable(done);
  const ended = endSessions ? { credentialsEnded: await endCredentials(session) } : {};
  if (endSessions) for (const schema of ['access', 'tariffs']) await session.query(BEGIN_EVENT_ERA(schema));
  const stillClosed = await idsOf(session, CLOSED, [[...closed.keys()]]);
  return { listed, stillClosed, unreadable, done: { ...done, ...ended } };
}

function rejectUnreadable({
  withoutDataKey,
  withoutOccupancyKey,
}: Pick<Reanonymised, 'withoutDataKey' | 'withoutOccupancyKey'>): void {
  if (withoutDataKey > 0)
    throw new Error(
      `${withoutDataKey} identity records have no data key: ` +
        'they would be anonymised (--without-data-keys does so)',
    );
  if (withoutOccupancyKey > 0)
    throw new Error(
      `${withoutOccupancyKey} MPxNs that are still needed have no key: ` +
        'they would stay unreadable (--without-data-keys continues without them)',
    );
}

async function idsOf(session: Client, query: string, values: unknown[] = []): Promise<string[]> {
  return (await session.query<{ id: string }>(query, values)).rows.map(({ id }) => id);
}

async function eraseKeysAgain(
  session: Client,
  listed: Instants,
): Promise<Pick<Reanonymised, 'erasedAgain' | 'keysNotDue'>> {
  let [erasedAgain, keysNotDue] = [0, 0];
  for (const subgraph of [IDENTITY_OCCUPANCIES, TARIFF_OCCUPANCIES]) {
    const ids = await idsOf(session, ERASED_KEYS(subgraph), [[...listed.keys()]]);
    const erased = await eraseKeys(session, subgraph, ids, null);
    erasedAgain += erased;
    keysNotDue += ids.length - erased;
  }
  return { erasedAgain, keysNotDue };
}

/** Anonymises a record in both subgraphs; returns how many ACTIVE access records it revoked. */
async function anonymise(session: Client, id: string, at: string | undefined): Promise<number> {
  await session.query('set local search_path = access, register');
  const revoked = await endLinked(session, id);
  await session.query('set local search_path = identity, register');
  await anonymiseAgain(session, id, at);
  return revoked;
}
