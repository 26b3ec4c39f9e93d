/** The tariff that applies to an MPxN over time: a step function whose tariffs are replaced by others as these take effect. */

/** From an instant on, until the next step. */
export interface TariffStep {
  readonly validFrom: Date;
  /** null: no tariff applies any more. */
  readonly tariffId: string | null;
  /** The supplier to whom the step belongs, also when it ends. */
  readonly mpid: string;
}

/** What is known of a tariff when one asks what applies. */
export interface TariffLink {
  readonly validFrom: Date;
  readonly validTo: Date | null;
  /** The one tariff that replaces it; at most one does. */
  readonly replacedBy: { readonly tariffId: string; readonly takesEffectAt: Date } | null;
}

/** Links of tariffs by their ids. */
export type TariffLinks = ReadonlyMap<string, TariffLink>;

/** What applies to an MPxN: null once it has ended. */
export type Applying = Pick<TariffStep, 'tariffId' | 'mpid'>;

/** When a step or a replacement takes effect: at its `validFrom`, never before it was recorded, so that no history is rewritten. */
export function takesEffectAt(validFrom: Date, recordedAt: Date): Date {
  return validFrom.getTime() >= recordedAt.getTime() ? validFrom : recordedAt;
}

/** The newest step that has begun at an instant; undefined before the first. Steps come in any order, with distinct `validFrom`. */
export function stepAt<Step extends TariffStep>(steps: readonly Step[], at: Date): Step | undefined {
  let newest: Step | undefined;
  for (const step of steps) {
    if (step.validFrom.getTime() > at.getTime()) continue;
    if (newest === undefined || step.validFrom.getTime() > newest.validFrom.getTime()) newest = step;
  }
  return newest;
}

/**
 * The tariff that stands in the place of another at an instant: follows replacements while they have taken effect.
 *
 * @returns the id itself when nothing has replaced it
 */
export function currentReplacement(tariffId: string, links: TariffLinks, at: Date): string {
  let current = tariffId;
  const passed = new Set<string>();
  for (;;) {
    const next = links.get(current)?.replacedBy;
    if (next == null || next.takesEffectAt.getTime() > at.getTime() || passed.has(next.tariffId)) return current;
    passed.add(current);
    current = next.tariffId;
  }
}

/** Whether a tariff is valid at an instant; its end is not. */
function isValidAt({ validFrom, validTo }: Pick<TariffLink, 'validFrom' | 'validTo'>, at: Date): boolean {
  return validFrom.getTime() <= at.getTime() && (validTo === null || at.getTime() < validTo.getTime());
}

/**
 * What the steps of an MPxN say of an instant, whether or not the tariff is valid then.
 *
 * @returns undefined before the first step
 */
export function assignedTariff(steps: readonly TariffStep[], links: TariffLinks, at: Date): Applying | undefined {
  const step = stepAt(steps, at);
  if (step === undefined) return undefined;
  const { tariffId, mpid } = step;
  return { tariffId: tariffId === null ? null : currentReplacement(tariffId, links, at), mpid };
}

/** The tariff that applies at an instant: null when there is no step, it was ended, or the tariff is not valid then. */
export function appliedTariff(steps: readonly TariffStep[], links: TariffLinks, at: Date): string | null {
  const tariffId = assignedTariff(steps, links, at)?.tariffId ?? null;
  const link = tariffId === null ? undefined : links.get(tariffId);
  return link !== undefined && isValidAt(link, at) ? tariffId : null;
}
