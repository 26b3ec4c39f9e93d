import type { CallOrigin } from '../../server/graph/service-query';
import type { OccupancyRepository } from '../occupancy/occupancy.repository';
import type { OccupantRecord } from '../occupancy/occupancy';
import type { SignInOrigin } from './sign-in-hint';
import type { Organisations } from '../organisations.client';

/** Returns the return URL of a customer who signed in; null if it is not allowed. */
type ReturnAddresses = (
  from: SignInOrigin,
  signedIn: { readonly meterPointId: string; readonly record: OccupantRecord | undefined },
  origin: CallOrigin,
) => Promise<string | null>;

/**
 * Allows a URL that is registered, character by character, for the Data User of the record by which the customer signed in, or of the
 * Identity Record in the link by which the customer came, if that record is of the same meter point (decisions A/B, 9). As after a ceremony,
 * the register sends no customer to an organisation whose account is not active.
 */
export function returnAddresses(occupancy: OccupancyRepository, organisations: Organisations): ReturnAddresses {
  return async ({ ir, returnUrl }, { meterPointId, record }, origin) => {
    if (returnUrl === null) return null;
    const named = ir === null ? undefined : await occupancy.byRef(ir);
    const sender = named?.meterPointId === meterPointId ? [named.duid] : [];
    const duids = new Set([...sender, ...(record === undefined ? [] : [record.duid])]);
    for (const duid of duids) {
      const { status, returnUrls } = await organisations.of(duid, origin);
      if (status === 'active' && returnUrls.includes(returnUrl)) return returnUrl;
    }
    return null;
  };
}
