import type { Pool } from 'pg';
import { type Session, inTransaction } from '../../server/transaction';
import { NEXT_NUMBER } from './access-record.repository';
import { ON_CONSENT, endedWithDataUser } from './record-state';

/** Records that one transaction takes at most, so that nobody waits for it long. */
export const EXPIRIES_AT_ONCE = 500;

/** What somebody else changes at this instant is left to the next run. */
const EXPIRE = {
  name: 'expire_access_records',
  text: `with due as (
      select id, state from access_record where state in ('ACTIVE', 'DISCOVERED') and expiry <= register_now()
        and not (${endedWithDataUser()})
      order by expiry limit ${EXPIRIES_AT_ONCE} for no key update skip locked),
    record as (
      update access_record set state = 'EXPIRED' where id = any (array(select id from due)) returning id),
    transition as (
      insert into access_record_transition (record_id, number, from_state, to_state, cause)
      select record.id, ${NEXT_NUMBER}, due.state, 'EXPIRED', 'expired' from record join due using (id))
    select from record`,
};

/** Ends up to {@link EXPIRIES_AT_ONCE} records whose expiry has passed; answers how many. */
export async function expireSome(session: Session): Promise<number> {
  return (await session.query(EXPIRE)).rowCount ?? 0;
}

/** A registration or replacement that is committed so late has looked at the window of that instant itself. */
const OVERLAP = `interval '10 minutes'`;
/** How far the looks of a subscription may be ahead of what is written down of them. */
const STEP = `interval '1 minute'`;

const WANTS_NOTICES = `deleted_at is null and 'consent.expiring' = any(event_types)`;
const THROUGH = `register_now() + notify_days_before * interval '24 hours'`;

/** Where a look begins: null is the beginning of the window. */
const FROM = `expiring_through - ${OVERLAP}`;

/** The look of one subscription: whose records, from which expiry to which. */
interface Look {
  readonly webhook: string;
  readonly duid: string;
  readonly from: string | null;
  readonly through: string;
  readonly version: string;
}

/** The last record that was due, how many were, and how many of them nobody else had. */
interface Notified {
  readonly id: string;
  readonly expiry: string;
  readonly due: number;
  readonly held: number;
}

/**
 * Consent records within a look that the subscription was not told of. Of each that is asked by itself (`offset 0`): joined, the database
 * would go through all that the subscription was told of, which it takes to be few as long as its statistics are old.
 */
const due = ({ webhook, duid, from, through }: Record<Exclude<keyof Look, 'version'>, string>): string => `
  duid = ${duid} and state = 'ACTIVE' and ${ON_CONSENT} and expiry > greatest(register_now(), ${from}) and expiry <= ${through}
  and not exists (select from event where type = 'consent.expiring' and event.record_id = access_record.id
    and event.webhook_id = ${webhook} and event.expiry = access_record.expiry offset 0)`;

const SUBSCRIPTIONS_TO_LOOK_AT = {
  name: 'subscriptions_to_look_at',
  text: `select id from webhook where ${WANTS_NOTICES} and (
      expiring_through is null or expiring_through not between ${THROUGH} - ${STEP} and ${THROUGH}
      or exists (select from access_record
        where ${due({ webhook: 'webhook.id', duid: 'webhook.duid', from: FROM, through: THROUGH })}))
    order by id`,
};

/** One look at a subscription at a time. Whatever changes it gives it another version. */
const BEGIN_LOOK = {
  name: 'begin_look',
  text: `select id as webhook, duid, (${FROM})::text as from, (${THROUGH})::text as through, xmin::text as version
    from webhook where id = $1 and ${WANTS_NOTICES} for no key update skip locked`,
};

const DUE = due({ webhook: '$1::uuid', duid: '$2', from: '$3::timestamptz', through: '$4::timestamptz' });

/**
 * What is due after an expiry and record, in order. Whoever withdraws one of the records waits, so that no notice follows a withdrawal.
 * Lanes are taken in the order of the records. A record that somebody else changes at this instant is left out; records are locked by
 * their ids (`is true` keeps the indexes of expiries out of it).
 */
const NOTIFY = {
  name: 'notify_of_expiring',
  text: `with due as materialized (
      select id, expiry from access_record where ${DUE} and (expiry, id) > ($5::timestamptz, $6::uuid)
      order by expiry, id limit ${EXPIRIES_AT_ONCE}),
    held as (
      select id, duid, expiry from access_record
      where id = any (array(select id from due)) and state = 'ACTIVE' and ${ON_CONSENT} and (expiry > register_now() and expiry <= $4) is true
      for share skip locked),
    told as (
      insert into event (type, duid, record_id, webhook_id, expiry, days_remaining)
      select 'consent.expiring', duid, id, $1, expiry, ceil(extract(epoch from expiry - register_now()) / 86400) from held order by id
      on conflict do nothing)
    select id, expiry::text, (select count(*) from due)::int as due, (select count(*) from held)::int as held
    from due order by due.expiry desc, id desc limit 1`,
};

const END_LOOK = {
  name: 'end_look',
  text: 'update webhook set expiring_through = $2::timestamptz where id = $1',
};

/** How far a look at a subscription has come: further ones of the same look go on from there, so that none reads what another has. */
export interface LookSoFar {
  /** Of the subscription when the look began. */
  readonly version: string;
  readonly expiry: string;
  readonly id: string;
  /** A record was left out: the look does not count, and all of it is looked at again. */
  readonly isIncomplete: boolean;
}

/** Comes before every record. */
const NOT_BEGUN = { expiry: '-infinity', id: '00000000-0000-0000-0000-000000000000', isIncomplete: false };

/** Subscriptions whose window has to be looked at. */
export async function subscriptionsToLookAt(pool: Pool): Promise<string[]> {
  return (await pool.query<{ id: string }>(SUBSCRIPTIONS_TO_LOOK_AT)).rows.map(({ id }) => id);
}

/**
 * Makes `consent.expiring` events for a subscription: one for each record and expiry within its window (2-decisions-a-b.md, section 6),
 * up to {@link EXPIRIES_AT_ONCE} of them. Answers from where the look goes on, if there may be more.
 */
export function notifySome(pool: Pool, webhookId: string, before?: LookSoFar): Promise<LookSoFar | undefined> {
  return inTransaction(pool, async (session) => {
    const [look] = (await session.query<Look>({ ...BEGIN_LOOK, values: [webhookId] })).rows;
    if (look === undefined) return undefined;
    const { webhook, duid, from, through, version } = look;
    const { expiry, id, isIncomplete } = before?.version === version ? before : NOT_BEGUN;
    const values = [webhook, duid, from, through, expiry, id];
    const [last] = (await session.query<Notified>({ ...NOTIFY, values })).rows;
    const isLacking = isIncomplete || (last !== undefined && last.held < last.due);
    if (last?.due === EXPIRIES_AT_ONCE) return { version, expiry: last.expiry, id: last.id, isIncomplete: isLacking };
    if (!isLacking) await session.query({ ...END_LOOK, values: [webhook, through] });
    return undefined;
  });
}
