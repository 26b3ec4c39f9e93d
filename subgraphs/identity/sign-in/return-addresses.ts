import type { QuestionOrigin } from '../../server/service-question';
import type { OccupancyRepository } from '../database/occupancy.repository';
import type { OccupantRecord } from '../domain/occupant-record';
import type { SignInOrigin } from '../domain/sign-in-entry';
import type { Organisations } from '../organisations';

/** Decides where a customer who has signed in may be sent back. */
export type ReturnAddresses = (
  from: SignInOrigin,
  signedIn: { readonly meterPointId: string; readonly record: OccupantRecord | undefined },
  origin: QuestionOrigin,
) => Promise<string | null>;

/**
 * Only to a URL that is registered, letter for letter, for the Data User of the Identity Record in the link by which the customer came,
 * if that record is of the same meter point, or for the Data User of the record by which they signed in; every other is dropped
 * (2-decisions-a-b.md, section 9).
 */
export function returnAddresses(occupancy: OccupancyRepository, organisations: Organisations): ReturnAddresses {
  return async ({ ir, returnUrl }, { meterPointId, record }, origin) => {
    if (returnUrl === null) return null;
    const named = ir === null ? undefined : await occupancy.byRef(ir);
    const sender = named?.meterPointId === meterPointId ? [named.duid] : [];
    const duids = new Set([...sender, ...(record === undefined ? [] : [record.duid])]);
    for (const duid of duids) {
      const { returnUrls } = await organisations.of(duid, origin);
      if (returnUrls.includes(returnUrl)) return returnUrl;
    }
    return null;
  };
}
