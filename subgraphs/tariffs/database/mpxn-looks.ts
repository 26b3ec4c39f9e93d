import type { Session } from '../../server/transaction';
import { type TariffLinks, type TariffStep, assignedTariff } from '../domain/applied-tariff';
import { type TariffEffect, effectsOfStep } from '../domain/effects';
import { tariffLinks } from './tariff-links';

/** A look at what applies to an MPxN as of an instant. */
export interface MpxnLook {
  readonly mpxnHash: Buffer;
  readonly at: Date;
  /** The effect by which a step counts from this look on, by its id; null when the look is because of something else. */
  readonly stepEffect: string | null;
}

/** A step, and the effect of these looks that it waits for; null when it counts already. */
interface WaitingStep extends TariffStep {
  readonly waitsFor: string | null;
}

/** What was last told of an MPxN. */
interface Standing {
  readonly tariffId: string | null;
  readonly mpid: string;
  readonly asOf: Date;
}

/** What is known of MPxNs before they are looked at. */
interface Known {
  readonly steps: ReadonlyMap<string, readonly WaitingStep[]>;
  readonly standings: Map<string, Standing>;
  readonly links: TariffLinks;
  /** Effects of steps that have happened by these looks so far. */
  readonly happened: Set<string>;
}

/** An event that a look brings about. */
interface Told extends TariffEffect {
  readonly mpxnHash: Buffer;
  readonly at: Date;
}

/** Steps in force whose effect has happened, or happens by these looks. */
const STEPS = {
  name: 'steps_of_looks',
  text: `select encode(step.mpxn_hash, 'hex') as mpxn, step.valid_from as "validFrom", step.tariff_id as "tariffId", step.mpid,
      effect.id as "waitsFor"
    from tariff_step step left join tariff_effect effect on effect.step_id = step.id and effect.done_at is null
    where step.mpxn_hash = any($1::bytea[]) and step.withdrawn_at is null and (effect.id is null or effect.id = any($2::bigint[]))`,
};

const STANDINGS = {
  name: 'standings_of_looks',
  text: `select encode(mpxn_hash, 'hex') as mpxn, tariff_id as "tariffId", mpid, as_of as "asOf" from tariff_standing
    where mpxn_hash = any($1::bytea[])`,
};

const TELL = {
  name: 'tell_of_looks',
  text: `insert into event (type, occurred_at, mpid, mpxn_hash, tariff_id)
    select * from unnest($1::text[], $2::timestamptz[], $3::text[], $4::bytea[], $5::text[])`,
};

const STAND = {
  name: 'stand_after_looks',
  text: `insert into tariff_standing as known (mpxn_hash, tariff_id, mpid, as_of)
    select * from unnest($1::bytea[], $2::text[], $3::text[], $4::timestamptz[])
    on conflict (mpxn_hash) do update set tariff_id = excluded.tariff_id, mpid = excluded.mpid, as_of = excluded.as_of`,
};

/**
 * Looks at MPxNs, and writes an event where something else applies than what was last told. So whatever was told once is not told again,
 * and of what came late only that is told which still applies. A step counts from when its effect happens, never in a look before that:
 * the events are those of the steps one after another, however late they are looked at. One transaction at a time may look.
 *
 * @param looks in the order in which they are due
 */
export async function tellOfLooks(session: Session, looks: readonly MpxnLook[]): Promise<void> {
  if (looks.length === 0) return;
  const known = await whatIsKnown(session, looks);
  await writeEvents(
    session,
    looks.flatMap((look) => lookedAt(look, known)),
  );
  const stands = [...known.standings].filter(([mpxn]) => known.steps.has(mpxn));
  await session.query({
    ...STAND,
    values: [
      stands.map(([mpxn]) => Buffer.from(mpxn, 'hex')),
      stands.map(([, { tariffId }]) => tariffId),
      stands.map(([, { mpid }]) => mpid),
      stands.map(([, { asOf }]) => asOf),
    ],
  });
}

async function whatIsKnown(session: Session, looks: readonly MpxnLook[]): Promise<Known> {
  const hashes = [...new Map(looks.map(({ mpxnHash }) => [mpxnHash.toString('hex'), mpxnHash])).values()];
  const standings = await standingsOf(session, hashes);
  const effects = looks.flatMap(({ stepEffect }) => stepEffect ?? []);
  const steps = await stepsOf(session, hashes, effects);
  const all = [...standings.values(), ...[...steps.values()].flat()];
  const links = await tariffLinks(
    session,
    all.flatMap(({ tariffId }) => tariffId ?? []),
  );
  return { standings, steps, links, happened: new Set() };
}

async function standingsOf(session: Session, hashes: readonly Buffer[]): Promise<Map<string, Standing>> {
  type Row = Standing & { readonly mpxn: string };
  const { rows } = await session.query<Row>({ ...STANDINGS, values: [hashes] });
  return new Map(rows.map(({ mpxn, ...standing }) => [mpxn, standing]));
}

async function stepsOf(
  session: Session,
  hashes: readonly Buffer[],
  effects: readonly string[],
): Promise<Map<string, WaitingStep[]>> {
  type Row = WaitingStep & { readonly mpxn: string };
  const { rows } = await session.query<Row>({ ...STEPS, values: [hashes, effects] });
  const steps = new Map<string, WaitingStep[]>();
  for (const { mpxn, ...step } of rows) steps.set(mpxn, [...(steps.get(mpxn) ?? []), step]);
  return steps;
}

/** The events of a look, as of its instant or, where something later was told already, as of that. */
function lookedAt({ mpxnHash, at, stepEffect }: MpxnLook, { steps, standings, links, happened }: Known): Told[] {
  if (stepEffect !== null) happened.add(stepEffect);
  const mpxn = mpxnHash.toString('hex');
  const former = standings.get(mpxn);
  const asOf = former !== undefined && former.asOf.getTime() > at.getTime() ? former.asOf : at;
  const counting = steps.get(mpxn)?.filter(({ waitsFor }) => waitsFor === null || happened.has(waitsFor)) ?? [];
  const next = assignedTariff(counting, links, asOf);
  if (next === undefined) return [];
  standings.set(mpxn, { ...next, asOf });
  const events = effectsOfStep(former, next, replacedTariffs(next.tariffId, links));
  return events.map((event) => ({ ...event, mpxnHash, at: asOf }));
}

/** All tariffs that a tariff replaces, directly or one after another. */
function replacedTariffs(tariffId: string | null, links: TariffLinks): ReadonlySet<string> {
  const formerOf = new Map(
    [...links].flatMap(([former, { replacedBy: next }]) => (next ? [[next.tariffId, former]] : [])),
  );
  const replaced = new Set<string>();
  for (let former = formerOf.get(tariffId ?? ''); former !== undefined && !replaced.has(former);) {
    replaced.add(former);
    former = formerOf.get(former);
  }
  return replaced;
}

/** In the order of the MPxNs, so that whoever writes events takes the lanes of deliveries in one order. */
async function writeEvents(session: Session, told: readonly Told[]): Promise<void> {
  if (told.length === 0) return;
  const events = told.toSorted((one, other) => Buffer.compare(one.mpxnHash, other.mpxnHash));
  await session.query({
    ...TELL,
    values: [
      events.map(({ type }) => type),
      events.map(({ at }) => at),
      events.map(({ mpid }) => mpid),
      events.map(({ mpxnHash }) => mpxnHash),
      events.map(({ tariffId }) => tariffId),
    ],
  });
}
