import type { Violation } from '../../../schema/register-error';
import { type TariffLink, type TariffStep, stepAt } from './applied-tariff';

/** What recording a step does. */
export type StepOutcome =
  /** It is a new one. */
  | { readonly kind: 'added' }
  /** It is there already. */
  | { readonly kind: 'unchanged' }
  /** It takes the place of one that has not begun, whose planned effect is cancelled. */
  | { readonly kind: 'supersedes' }
  | { readonly kind: 'refused'; readonly violations: readonly Violation[] };

/** Who assigns, and when. */
export interface Assigning {
  /** Whether it is an admin, who may do what suppliers cannot do to each other. */
  readonly byAdmin: boolean;
  readonly now: Date;
}

/**
 * What becomes of the assignment of a tariff: VAL003 from the end of its validity on. Suppliers leave each other's tariffs alone (CNF001):
 * one that is to begin gives way to an admin only, and where one applied at an instant that has passed, or since, none begins then. An end
 * is no tariff that begins: it gives way to the tariff of the gaining supplier.
 *
 * @param steps those of the MPxN that matter: the newest one that has begun at the instant, and those that began since
 */
export function assignmentOutcome(
  steps: readonly TariffStep[],
  step: TariffStep,
  { validTo }: Pick<TariffLink, 'validTo'>,
  { byAdmin, now }: Assigning,
): StepOutcome {
  const [from, present] = [step.validFrom.getTime(), now.getTime()];
  if (validTo !== null && from >= validTo.getTime())
    return refused('VAL003', 'from', 'must be before the end of the validity of the tariff');
  const outcome = stepOutcome(steps, step, now, 'from');
  if (byAdmin || outcome.kind === 'unchanged') return outcome;
  const there = stepAt(steps, step.validFrom);
  const ofAnother = ({ tariffId, mpid }: TariffStep) => tariffId !== null && mpid !== step.mpid;
  const appliedSince = (each: TariffStep) =>
    each === there || (each.validFrom.getTime() > from && each.validFrom.getTime() <= present);
  if (from < present && steps.some((each) => ofAnother(each) && appliedSince(each)))
    return refused('CNF001', 'from', 'must not begin before now');
  if (outcome.kind === 'supersedes' && there !== undefined && ofAnother(there))
    return refused('CNF001', 'from', 'another tariff begins to apply at this instant');
  return outcome;
}

/**
 * What becomes of a step among those of its MPxN. Two cannot begin at one instant: the earlier one gives way while it lies in the future,
 * else CNF001, because what has begun is history.
 *
 * @param path of the field that says when it begins
 */
export function stepOutcome(steps: readonly TariffStep[], step: TariffStep, now: Date, path: string): StepOutcome {
  const there = stepAt(steps, step.validFrom);
  if (there === undefined || there.validFrom.getTime() !== step.validFrom.getTime()) return { kind: 'added' };
  if (there.tariffId === step.tariffId && there.mpid === step.mpid) return { kind: 'unchanged' };
  if (there.validFrom.getTime() > now.getTime()) return { kind: 'supersedes' };
  return refused('CNF001', path, 'is when another tariff began to apply, which has happened already');
}

/**
 * What becomes of the end of a supplier's tariff for an MPxN: CNF001 when none of it is assigned then. Whether another supplier's is, is not
 * told.
 *
 * @param mpid the supplier that ends; null for an admin, who ends whatever is assigned
 */
export function endOutcome(
  steps: readonly TariffStep[],
  at: Date,
  mpid: string | null,
  now: Date,
): StepOutcome & { readonly mpid?: string } {
  const assigned = stepAt(steps, at);
  if (assigned === undefined || (mpid !== null && assigned.mpid !== mpid))
    return refused(
      'CNF001',
      'at',
      `is an instant at which no tariff${mpid === null ? '' : ' of this supplier'} applies`,
    );
  const end: TariffStep = { validFrom: at, tariffId: null, mpid: assigned.mpid };
  if (assigned.tariffId === null) return { kind: 'unchanged', mpid: assigned.mpid };
  return { ...stepOutcome(steps, end, now, 'at'), mpid: assigned.mpid };
}

function refused(code: Violation['code'], path: string, message: string): StepOutcome {
  return { kind: 'refused', violations: [{ code, path: [path], message }] };
}
