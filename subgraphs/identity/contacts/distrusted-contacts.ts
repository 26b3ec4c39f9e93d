import type { OccupantRecord } from '../occupancy/occupancy';
import type { HeldContact } from './contact';
import { evidenceOf, provenGroups } from './contacts';

/** An admin's rejection of the contacts that a Data User asserted. */
export interface ContactRejection {
  readonly duid: string;
  /** Start of the period; null for all contacts. */
  readonly since: Date | null;
  /** End of the period: contacts that the Data User asserts later count again. */
  readonly requestedAt: Date;
}

/**
 * Returns the contacts of a meter point that the rejections of its Data Users concern. A contact remains if another Data User asserted it, or
 * its own Data User outside the period, if a customer signed in at the supplier confirmed it, or if it was proven to be the same person's as
 * such a contact. `atMeterPoint` are its verified records, also those of persons who are yet to move in.
 */
export function distrustedContacts(
  atMeterPoint: readonly OccupantRecord[],
  rejections: readonly ContactRejection[],
): HeldContact[] {
  const tenancies = [...new Set(atMeterPoint.map(({ tenancy }) => tenancy))];
  return tenancies.flatMap((each) => {
    const records = atMeterPoint.filter(({ tenancy }) => tenancy === each);
    const evidence = evidenceOf(records);
    const { held } = evidence;
    const trusted = [
      ...evidence.confirmed,
      ...held.filter((one) => !isRejectedBy(rejections, one)).map(({ contact }) => contact),
    ];
    const groups = provenGroups(evidence).filter((group) => !trusted.some((one) => group.has(one)));
    return held.filter(({ contact }) => groups.some((group) => group.has(contact)));
  });
}

function isRejectedBy(rejections: readonly ContactRejection[], held: HeldContact): boolean {
  return rejections.some(
    ({ duid, since, requestedAt }) =>
      duid === held.duid && (since === null || held.since >= since) && held.since <= requestedAt,
  );
}
