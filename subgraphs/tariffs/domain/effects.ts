import type { Applying } from './applied-tariff';

/** Events of tariffs (3-decisions-c-d.md, D.3). */
export const TARIFF_EVENT_TYPES = [
  'tariff.change',
  'tariff.update',
  'supplier.change',
  'consent.revoked',
  'supplier.cessation',
] as const;
/** A value of {@link TARIFF_EVENT_TYPES}. */
export type TariffEventType = (typeof TARIFF_EVENT_TYPES)[number];

/** An event that follows from what happened to one MPxN. */
export interface TariffEffect {
  readonly type: TariffEventType;
  /** The supplier whose RTI Users are told: of a change of supplier the losing one. */
  readonly mpid: string;
  /** Of `tariff.*`: the tariff that applies from now on. */
  readonly tariffId: string | null;
}

/**
 * The events of a step that takes effect; none when it tells nobody anything. A change of supplier is told at the losing one, and at the
 * gaining one the tariff that applies there.
 *
 * @param former what was assigned just before, undefined when nothing ever was
 * @param next what is assigned now
 * @param replaced the ids of all tariffs that the next one replaces, directly or one after another
 */
export function effectsOfStep(
  former: Applying | undefined,
  next: Applying,
  replaced: ReadonlySet<string>,
): readonly TariffEffect[] {
  const { tariffId, mpid } = next;
  if (tariffId === null) return [];
  if (former !== undefined && former.mpid !== mpid)
    return [
      { type: 'supplier.change', mpid: former.mpid, tariffId: null },
      { type: 'tariff.change', mpid, tariffId },
    ];
  if (former?.tariffId === tariffId) return [];
  const isReplacement = former?.tariffId != null && replaced.has(former.tariffId);
  return [{ type: isReplacement ? 'tariff.update' : 'tariff.change', mpid, tariffId }];
}
