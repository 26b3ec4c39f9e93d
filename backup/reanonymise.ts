import type { Client } from 'pg';
import { endLinked } from '../subgraphs/access/database/closing.repository';
import { destroyPersonalData, keepToDestroy } from '../subgraphs/identity/database/anonymising.repository';
import type { AnonymisedList } from './anonymised-list';

/** What had to be anonymised again. */
export interface Reanonymised {
  /** Identity Records that were anonymised since the backup. */
  readonly anonymisedAgain: number;
  /** Identity Records without a data key: nobody can read them any more, so they are anonymised. */
  readonly withoutDataKey: number;
  /** ACTIVE access records that were linked to these: they are revoked. */
  readonly revoked: number;
}

const LIVE = 'select id from identity.identity_record where anonymised_at is null and id = any($1)';

const UNREADABLE = `select r.id from identity.identity_record r where r.anonymised_at is null
  and not exists (select from identity_keys.data_key k where k.record_id = r.id)`;

/** Keys of records that are not there, or not any more. */
const KEYS_OF_NOTHING = `delete from identity_keys.data_key k
  where not exists (select from identity.identity_record r where r.id = k.record_id and r.anonymised_at is null)
    and not exists (select from identity.provisional_identity_record p where p.id = k.record_id)`;

/** Does again, in both subgraphs, what was done since the backup was taken; in the transaction that loads it. */
export async function reanonymise(session: Client, anonymised: AnonymisedList): Promise<Reanonymised> {
  await keepToDestroy(session, [...anonymised.keys()]);
  const again = await idsOf(session, LIVE, [[...anonymised.keys()]]);
  const revokedWithThem = await anonymiseAll(session, again, anonymised);
  await session.query(KEYS_OF_NOTHING);
  const unreadable = await idsOf(session, UNREADABLE);
  const revokedWithout = await anonymiseAll(session, unreadable, anonymised);
  return {
    anonymisedAgain: again.length,
    withoutDataKey: unreadable.length,
    revoked: revokedWithThem + revokedWithout,
  };
}

async function idsOf(session: Client, question: string, values: unknown[] = []): Promise<string[]> {
  return (await session.query<{ id: string }>(question, values)).rows.map(({ id }) => id);
}

async function anonymiseAll(session: Client, ids: readonly string[], at: AnonymisedList): Promise<number> {
  let revoked = 0;
  await session.query('set local search_path = access, register');
  for (const id of ids) revoked += await endLinked(session, id);
  await session.query('set local search_path = identity, register');
  for (const id of ids) await destroyPersonalData(session, id, at.get(id));
  return revoked;
}
