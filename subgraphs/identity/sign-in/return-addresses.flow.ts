import type { CallOrigin } from '../../server/graph/service-query';
import type { OccupancyRepository } from '../occupancy/occupancy.repository';
import type { OccupantRecord } from '../occupancy/occupancy';
import type { SignInOrigin } from './sign-in-hint';
import type { Organisations } from '../organisations.client';

/** A return URL, and the Data User for which it is registered. */
export interface ReturnAddress {
  readonly url: string;
  readonly duid: string;
}

/** Returns the return URL of a customer who signed in; null if it is not allowed. */
type ReturnAddresses = (
  from: SignInOrigin,
  signedIn: { readonly meterPointId: string; readonly record: OccupantRecord | undefined },
  origin: CallOrigin,
) => Promise<ReturnAddress | null>;

/**
 * Allows a URL that is registered, character by character, for the Data User of the record by which the customer signed in, or of the
 * Identity Record in the link by which the customer came, if that record is of the same meter point (decisions A/B, 9), or of the customer's
 * earlier session there. As after a ceremony, the register sends no customer to an organisation whose account is not active.
 */
export function returnAddresses(occupants: OccupancyRepository, organisations: Organisations): ReturnAddresses {
  return async ({ ir, returnUrl: url, sender }, { meterPointId, record }, origin) => {
    if (url === null) return null;
    const named = ir === null ? undefined : await occupants.byRef(ir);
    const linked = named?.meterPointId === meterPointId ? named.duid : null;
    const duids = new Set([linked, sender, record?.duid].flatMap((duid) => duid ?? []));
    for (const duid of duids) {
      if (await isRegistered({ url, duid }, organisations, origin)) return { url, duid };
    }
    return null;
  };
}

/** Whether a URL is registered, character by character, for a Data User whose account is active. */
export async function isRegistered(
  { url, duid }: ReturnAddress,
  organisations: Organisations,
  origin: CallOrigin,
): Promise<boolean> {
  const { status, returnUrls } = await organisations.of(duid, origin);
  return status === 'active' && returnUrls.includes(url);
}
