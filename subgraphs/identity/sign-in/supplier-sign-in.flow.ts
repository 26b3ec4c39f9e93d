import { RegisterError } from '../../../schema/register-error';
import type { CallOrigin } from '../../server/graph/service-query';
import type { MeterPointWithoutRecord, StartedCustomerSession } from './customer-session.repository';
import { TenancyRepository } from '../occupancy/occupancy.repository';
import { SignInRepository } from './sign-in.repository';
import { type SignInHint, type SignInOrigin, claimNames, originIn, supplierSignInBy } from './sign-in-hint';
import type { CustomerSession } from './customer-session';
import type { IdentityDependencies } from '../dependencies';
import { sessionStart } from './session-start.flow';
import { supplierClients } from './supplier.client';

/** Sign-in at a supplier in two steps (OpenID Connect code flow with PKCE; decisions A/B, 9). */
export interface SupplierSignIns {
  /**
   * Throws NTF001 if customers cannot sign in at this supplier. The result does not depend on whether the customer is registered. In a session
   * of the same meter point, the return URL of the session applies.
   */
  start(
    mpid: string,
    entry: SignInHint,
    session: CustomerSession | undefined,
    origin: CallOrigin,
  ): Promise<{ readonly secret: string; readonly url: string }>;
  /**
   * Throws AUT001 if the response does not prove the meter point of the hints, a Change of Tenancy takes effect there since the start, or customers
   * can no longer sign in at the supplier.
   */
  finish(secret: string, callbackUrl: string, origin: CallOrigin): Promise<StartedCustomerSession>;
  close(): void;
}

/** Sign-in at suppliers over the tables of `identity`. */
export function supplierSignIns(dependencies: IdentityDependencies): SupplierSignIns {
  const { database, keys, indexes, access, urls, occupants } = dependencies;
  const clients = supplierClients(access, `${urls.portalUrl}/sign-in/supplier/callback`, dependencies);
  const signIns = new SignInRepository(database, keys);
  const tenancy = new TenancyRepository(database, indexes);
  const startSession = sessionStart(dependencies);
  const changedDays = async (mpxn: string | null): Promise<readonly string[]> =>
    mpxn === null ? [] : (await tenancy.at(mpxn)).changes.map(({ day }) => day);
  /**
   * `changedOn` is from before the customer's proof: after a later Change of Tenancy, the supplier may have proven the former customer.
   * `isOffered` returns whether customers can still sign in at the supplier, which may have been suspended while it proved this one.
   */
  const customerAt = async (mpxn: string, changedOn: readonly string[], isOffered: () => Promise<boolean>) => {
    const { changes, today } = await tenancy.at(mpxn);
    const found = supplierSignInBy(await occupants.verifiedAt(mpxn));
    if (!found.allowed) throw new RegisterError('AUT001');
    const place: MeterPointWithoutRecord = { mpxn, since: changes.at(-1)?.day ?? today };
    return {
      by: found.record ?? place,
      useProof: async () => (await changedDays(mpxn)).join() === changedOn.join() && isOffered(),
    };
  };
  return {
    async start(mpid, entry, session, origin) {
      const client = await clients.of(mpid, origin);
      if (!client) throw new RegisterError('NTF001');
      const mpxn = entry.mpxn ?? (await occupants.byRef(entry.ir ?? ''))?.mpxn ?? null;
      const changedOn = await changedDays(mpxn);
      const { url, checks } = await client.authorization();
      const from = session !== undefined && session.mpxn === mpxn ? originOf(session) : originIn(entry);
      return { secret: await signIns.addAttempt('supplier', { mpid, mpxn, changedOn, ...from, ...checks }), url };
    },
    async finish(secret, callbackUrl, origin) {
      const returned = stateIn(callbackUrl);
      const attempt = await signIns.takeAttempt('supplier', secret, ({ state }) => state === returned);
      const client = attempt && (await clients.of(attempt.mpid, origin));
      if (!attempt || !client) throw new RegisterError('AUT001');
      const { mpid, mpxn, changedOn = await changedDays(mpxn) } = attempt;
      const { mpxn: claimed } = await client.claims(callbackUrl, attempt);
      if (mpxn === null || !claimNames(claimed, mpxn)) throw new RegisterError('AUT001');
      const isOffered = async () => (await clients.of(mpid, origin)) !== undefined;
      const customer = await customerAt(mpxn, changedOn, isOffered);
      return startSession({ ...customer, contact: null, means: 'supplier', mpid, from: attempt }, origin);
    },
    close: () => clients.close(),
  };
}

/** Returns the `state` that the supplier returned; undefined if there is none. */
function stateIn(callbackUrl: string): string | undefined {
  return (URL.canParse(callbackUrl) && new URL(callbackUrl).searchParams.get('state')) || undefined;
}

/** Returns the origin of a customer who is signed in. At the end of the sign-in the return URL is checked again. */
function originOf({ returnUrl, returnDuid }: CustomerSession): SignInOrigin {
  return { ir: null, returnUrl, sender: returnDuid };
}
