import type { Pool } from 'pg';
import { ADVISORY_LOCKS } from '../../server/advisory-locks';
import { type Session, inTransaction } from '../../server/transaction';
import { tellOfLooks } from './mpxn-looks';

/** MPxNs that one transaction concerns itself with at most: nobody waits for it long. */
export const LOOKS_AT_ONCE = 500;

interface DueEffect {
  readonly id: string;
  readonly kind: 'step' | 'replacement' | 'supplier.removed' | 'rti_user.removed' | 'consent.revoked';
  readonly dueAt: Date;
  readonly mpxnHash: Buffer | null;
  readonly tariffId: string | null;
  readonly mpid: string | null;
  readonly userId: string | null;
  readonly reached: Buffer | null;
  /** How often it failed. */
  readonly faults: number;
}

/** Told of effects that failed, by their kind and ids, and why: they are put aside for some time. */
export type EffectsFailed = (
  error: unknown,
  effects: { readonly kind: string; readonly ids: readonly string[] },
) => void;

const LOCK = 'select pg_try_advisory_xact_lock($1) as locked';

/** Those whose turn is next. */
const DUE = {
  name: 'due_effects',
  text: `select id, kind, due_at as "dueAt", mpxn_hash as "mpxnHash", tariff_id as "tariffId", mpid, user_id as "userId", reached, faults
    from tariff_effect where done_at is null and cancelled_at is null and coalesce(turn_at, due_at) <= register_now()
    order by coalesce(turn_at, due_at), due_at, id limit ${LOOKS_AT_ONCE} for update`,
};

const DONE = {
  name: 'effects_done',
  text: 'update tariff_effect set done_at = register_now() where id = any($1::bigint[])',
};

/** Its next turn comes after those that wait. */
const WORKED = {
  name: 'effect_worked',
  text: 'update tariff_effect set reached = coalesce($2, reached), turn_at = register_now() where id = $1',
};

/** Tried again after 2 seconds, then 4, 256 at most. */
const PUT_ASIDE = {
  name: 'effects_put_aside',
  text: `update tariff_effect set faults = least(faults + 1, 1000),
      turn_at = register_now() + power(2, least(faults + 1, 8)) * interval '1 second'
    where id = any($1::bigint[]) and done_at is null and cancelled_at is null`,
};

/** MPxNs with a step to one of the tariffs that a tariff replaces, directly or one after another, behind those that were looked at. */
const ON_REPLACED = {
  name: 'mpxns_on_replaced_tariffs',
  text: `with recursive former as (
      select replaces as tariff_id from tariff where tariff_id = $1
      union
      select replaces from tariff join former using (tariff_id) where replaces is not null)
    select distinct step.mpxn_hash as "mpxnHash" from former cross join lateral (
      select distinct mpxn_hash from tariff_step
      where tariff_step.tariff_id = former.tariff_id and withdrawn_at is null and mpxn_hash > $2
      order by mpxn_hash limit $3) step
    order by step.mpxn_hash limit $3`,
};

/** As many consents as have so many MPxNs together, and at least one. */
const revoke = (column: 'mpid' | 'user_id', by: string) => ({
  name: `revoke_consents_${by}`,
  text: `with live as (
      select id from tariff_consent where ${column} = $1 and revoked_at is null order by id limit $3 for update),
    counted as (
      select id, sum(mpxns) over (order by id) - mpxns as mpxns_before from (
        select id, (select count(*) from (select from consent_meter_point where consent_id = live.id limit $3) point) as mpxns
        from live) live)
    update tariff_consent consent set revoked_at = $2, revoked_by = '${by}' from counted
    where consent.id = counted.id and mpxns_before < $3`,
});

const REVOKE_OF_SUPPLIER = revoke('mpid', 'supplier_removed');
const REVOKE_OF_RTI_USER = revoke('user_id', 'rti_user_removed');

/** MPxNs of revoked consents whose end was not told yet: of one effect after another, from where each has got. */
const TO_TELL_OF_REVOCATION = {
  name: 'mpxns_of_revocations',
  text: `select effect.id as "effectId", consent.revoked_at as "revokedAt", consent.mpid, point.mpxn_hash as "mpxnHash",
      consent.id as "consentId"
    from unnest($1::bigint[]) with ordinality as asked (id, turn) join tariff_effect effect using (id)
      join tariff_consent consent on consent.id = effect.consent_id
      cross join lateral (
        select mpxn_hash from consent_meter_point
        where consent_id = consent.id and mpxn_hash > coalesce(effect.reached, '') order by mpxn_hash limit $2) point
    order by asked.turn, point.mpxn_hash limit $2`,
};

/** In the order of the MPxNs, as all who write events do. */
const TELL_OF_REVOCATION = {
  name: 'tell_of_revocations',
  text: `insert into event (type, occurred_at, mpid, mpxn_hash, consent_id)
    select 'consent.revoked', * from unnest($1::timestamptz[], $2::text[], $3::bytea[], $4::uuid[])
      as told (occurred_at, mpid, mpxn_hash, consent_id)
    order by told.mpxn_hash, told.consent_id`,
};

interface Revocation {
  readonly effectId: string;
  readonly revokedAt: Date;
  readonly mpid: string;
  readonly mpxnHash: Buffer;
  readonly consentId: string;
}

/** Seconds for which the oldest effect that is due has not happened yet; 0 when none is. */
const OVERDUE = `
  select coalesce(extract(epoch from register_now() - min(due_at)), 0)::float8 as seconds from tariff_effect
  where done_at is null and cancelled_at is null and due_at <= register_now()`;

/** What was planned, when its time has come (3-decisions-c-d.md, D.3): events and their deliveries come about in the transaction that does it. */
export class EffectRepository {
  constructor(private readonly pool: Pool) {}

  /**
   * Lets happen what is due, as far as one transaction goes. Any number of processes may: one at a time does. What a process that was
   * killed had half done has not been done. What fails is put aside and tried again later, so that nothing else waits for it.
   *
   * @returns whether there may be more to do
   */
  async happenSome(failed: EffectsFailed): Promise<boolean> {
    let effects: readonly DueEffect[] = [];
    try {
      return await inTransaction(this.pool, async (session) => {
        const { rows: locked } = await session.query<{ locked: boolean }>(LOCK, [ADVISORY_LOCKS.effects]);
        if (locked[0]?.locked !== true) return false;
        effects = together((await session.query<DueEffect>(DUE)).rows);
        const [first] = effects;
        if (first !== undefined) await HAPPEN[first.kind](session, effects, first);
        return first !== undefined;
      });
    } catch (error) {
      const [first] = effects;
      if (first === undefined) throw error;
      const ids = effects.map(({ id }) => id);
      await this.pool.query({ ...PUT_ASIDE, values: [ids] }).catch(() => {
        throw error;
      });
      failed(error, { kind: first.kind, ids });
      return true;
    }
  }

  /** Seconds for which the oldest effect that is due has not happened yet. */
  async overdueSeconds(): Promise<number> {
    const { rows } = await this.pool.query<{ seconds: number }>(OVERDUE);
    return rows[0]?.seconds ?? 0;
  }
}

/** Effects of a kind that concern few MPxNs. */
const SMALL: readonly DueEffect['kind'][] = ['step', 'consent.revoked'];

/** What happens in one transaction: small effects together as far as nothing else is due between them, one that failed by itself. */
function together(due: readonly DueEffect[]): readonly DueEffect[] {
  const [first] = due;
  if (first === undefined || first.faults > 0 || !SMALL.includes(first.kind)) return due.slice(0, 1);
  const other = due.findIndex(({ kind, faults }) => kind !== first.kind || faults > 0);
  return other === -1 ? due : due.slice(0, other);
}

/** MPxNs of one transaction: fewer and fewer when so many have failed again. */
function mpxnsAtOnce({ faults }: DueEffect): number {
  return faults < 2 ? LOOKS_AT_ONCE : Math.max(1, LOOKS_AT_ONCE >> (2 * Math.min(faults - 1, 10)));
}

async function done(session: Session, effects: readonly DueEffect[]): Promise<void> {
  await session.query({ ...DONE, values: [effects.map(({ id }) => id)] });
}

async function worked(session: Session, { id }: DueEffect, reached: Buffer | null = null): Promise<void> {
  await session.query({ ...WORKED, values: [id, reached] });
}

/** Lets effects that happen together happen, the first of them alone or before the others; of large ones some. */
type Happening = (session: Session, effects: readonly DueEffect[], first: DueEffect) => Promise<void>;

const HAPPEN: Readonly<Record<DueEffect['kind'], Happening>> = {
  async step(session, effects) {
    await tellOfLooks(
      session,
      effects.map(({ id, mpxnHash, dueAt }) => ({ mpxnHash: mpxnHash as Buffer, at: dueAt, stepEffect: id })),
    );
    await done(session, effects);
  },
  async replacement(session, effects, effect) {
    const most = mpxnsAtOnce(effect);
    const values = [effect.tariffId, effect.reached ?? Buffer.alloc(0), most];
    const { rows } = await session.query<{ mpxnHash: Buffer }>({ ...ON_REPLACED, values });
    await tellOfLooks(
      session,
      rows.map(({ mpxnHash }) => ({ mpxnHash, at: effect.dueAt, stepEffect: null })),
    );
    if (rows.length < most) await done(session, effects);
    else await worked(session, effect, rows.at(-1)?.mpxnHash);
  },
  'supplier.removed': (session, _, effect) => consentsEnd(session, effect, REVOKE_OF_SUPPLIER, effect.mpid),
  'rti_user.removed': (session, _, effect) => consentsEnd(session, effect, REVOKE_OF_RTI_USER, effect.userId),
  async 'consent.revoked'(session, effects, first) {
    const most = mpxnsAtOnce(first);
    const values = [effects.map(({ id }) => id), most];
    const { rows } = await session.query<Revocation>({ ...TO_TELL_OF_REVOCATION, values });
    await tellOfRevocations(session, rows);
    const last = rows.length < most ? undefined : rows.at(-1);
    const reached = effects.findIndex(({ id }) => id === last?.effectId);
    await done(session, reached === -1 ? effects : effects.slice(0, reached));
    const unfinished = effects[reached];
    if (unfinished !== undefined) await worked(session, unfinished, last?.mpxnHash);
  },
};

/** Consents end some at a time; it is done when there are no more. */
async function consentsEnd(
  session: Session,
  effect: DueEffect,
  statement: { readonly name: string; readonly text: string },
  whose: string | null,
): Promise<void> {
  const { rowCount } = await session.query({ ...statement, values: [whose, effect.dueAt, mpxnsAtOnce(effect)] });
  if (rowCount === 0) await done(session, [effect]);
  else await worked(session, effect);
}

async function tellOfRevocations(session: Session, revocations: readonly Revocation[]): Promise<void> {
  if (revocations.length === 0) return;
  await session.query({
    ...TELL_OF_REVOCATION,
    values: [
      revocations.map(({ revokedAt }) => revokedAt),
      revocations.map(({ mpid }) => mpid),
      revocations.map(({ mpxnHash }) => mpxnHash),
      revocations.map(({ consentId }) => consentId),
    ],
  });
}
