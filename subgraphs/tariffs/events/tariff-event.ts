import { type TariffPeriod, gapAfter } from '../assignments/applied-tariff';
import type { Assignments, RecordedAssignment } from '../assignments/assignment-history';

/** Types of tariff events (decisions C/D, D.3). */
export const TARIFF_EVENT_TYPES = [
  'tariff.change',
  'tariff.update',
  'supplier.change',
  'consent.revoked',
  'supplier.cessation',
] as const;
/** A value of {@link TARIFF_EVENT_TYPES}. */
export type TariffEventType = (typeof TARIFF_EVENT_TYPES)[number];

/** States of a delivery (decisions C/D, D.3). */
export type TariffDeliveryState = 'pending' | 'delivered' | 'undelivered' | 'superseded';

/** An event to publish about one MPxN. */
export interface NewTariffEvent {
  readonly type: TariffEventType;
  /** The supplier whose RTI Users receive the event; for a change of supplier the former one. */
  readonly mpid: string;
  /** The tariff that applies from now on, for `tariff.*`; null for a `tariff.change` after which none does. */
  readonly tariffId: string | null;
  /**
   * Since when the tariff of the supplier no longer applies, for a change of supplier since when its assignment has ended; null if it
   * applies. RTI Users whose consents covered the MPxN until then
   * receive the event, although an assignment that ends also ends the coverage.
   */
  readonly ceasedAt: Date | null;
}

/** The tariff of an MPxN as last published. */
export interface PublishedTariff {
  /** The tariff that applied last; null after its assignment ended. */
  readonly tariffId: string | null;
  /** The supplier of that tariff. */
  readonly mpid: string;
  /** Since when it no longer applies; null while it applies. */
  readonly ceasedAt: Date | null;
}

/** Length of a gap between the assignments of two suppliers after which the former one's RTI Users receive no `supplier.change` (decisions C/D, D.3). */
const MAX_GAP_DAYS = 90;
const DAY_MS = 86_400_000;

/**
 * Returns the events of a change of what applies to an MPxN; none if nothing changes. A change of supplier is two events: one at the
 * former supplier, and the new tariff at the new one. If nothing applies any more, the former supplier's RTI Users receive a
 * `tariff.change` without tariff.
 *
 * @param former what was published last; undefined if no tariff has applied yet
 * @param next what applies now
 * @param replaced the ids of all tariffs that the tariff of `next` replaces directly or indirectly
 * @param assignments those of the MPxN that have taken effect
 */
export function eventsOfChange(
  former: PublishedTariff | undefined,
  next: TariffPeriod,
  replaced: Pick<ReadonlySet<string>, 'has'>,
  assignments: Assignments<RecordedAssignment>,
): readonly NewTariffEvent[] {
  const { tariffId } = next;
  if (tariffId === null) return former === undefined ? [] : endOfTariff(former, next.ceasedAt);
  const { mpid } = next;
  const applies = { mpid, tariffId, ceasedAt: null };
  if (former !== undefined && former.mpid !== mpid)
    return [...changeOfSupplier(former, assignments, next.at), { type: 'tariff.change', ...applies }];
  if (former?.tariffId === tariffId && former.ceasedAt === null) return [];
  const isReplacement = former?.tariffId != null && replaced.has(former.tariffId);
  return [{ type: isReplacement ? 'tariff.update' : 'tariff.change', ...applies }];
}

/** Returns what is published of an MPxN after {@link eventsOfChange}. */
export function publishedAfter(former: PublishedTariff | undefined, next: TariffPeriod): PublishedTariff | undefined {
  if (next.tariffId !== null) return { tariffId: next.tariffId, mpid: next.mpid, ceasedAt: null };
  if (former === undefined) return undefined;
  const { tariffId, mpid, ceasedAt } = former;
  return { tariffId: next.isEnd ? null : tariffId, mpid, ceasedAt: ceasedAt ?? next.ceasedAt };
}

function endOfTariff(former: PublishedTariff, ceasedAt: Date): readonly NewTariffEvent[] {
  return former.ceasedAt === null ? [{ type: 'tariff.change', mpid: former.mpid, tariffId: null, ceasedAt }] : [];
}

function changeOfSupplier(
  { mpid }: PublishedTariff,
  assignments: Assignments<RecordedAssignment>,
  at: Date,
): readonly NewTariffEvent[] {
  const { endedAt, startedAt } = gapAfter(mpid, assignments, at);
  const isTooLong = startedAt.getTime() - endedAt.getTime() > MAX_GAP_DAYS * DAY_MS;
  return isTooLong ? [] : [{ type: 'supplier.change', mpid, tariffId: null, ceasedAt: endedAt }];
}
