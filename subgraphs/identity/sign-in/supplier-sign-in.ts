import { RegisterError } from '../../../schema/register-error';
import type { QuestionOrigin } from '../../server/service-question';
import type { RecordlessPlace, StartedCustomerSession } from '../database/customer-session.repository';
import { OccupancyRepository } from '../database/occupancy.repository';
import { SignInRepository } from '../database/sign-in.repository';
import { TenancyRepository } from '../database/tenancy.repository';
import type { OccupantRecord } from '../domain/occupant-record';
import { type SignInEntry, originIn } from '../domain/sign-in-entry';
import { claimNames, supplierSignInBy } from '../domain/supplier-claim';
import type { Area, Foundation } from '../foundation';
import { SupplierSignInResolver } from '../resolvers/supplier-sign-in.resolver';
import { sessionStart } from './session-start';
import { signInLimit } from './sign-in-limit';
import { supplierClients } from './supplier-client';

/** The two halves of a sign-in at a supplier (OpenID Connect code flow with PKCE; 2-decisions-a-b.md, section 9). */
export interface SupplierSignIns {
  /** NTF001 when customers cannot sign in at this supplier. Who is known decides nothing here. */
  begin(
    mpid: string,
    entry: SignInEntry,
    origin: QuestionOrigin,
  ): Promise<{ readonly secret: string; readonly url: string }>;
  /** AUT001 when the answer proves nothing for the meter point that was entered. */
  finish(secret: string, callbackUrl: string, origin: QuestionOrigin): Promise<StartedCustomerSession>;
}

/** Sign-in at suppliers, for those whom no verified Identity Record could sign in. */
export function supplierSignInArea(foundation: Foundation): Area {
  return { resolvers: [new SupplierSignInResolver(supplierSignIns(foundation), signInLimit(foundation))] };
}

function supplierSignIns(foundation: Foundation): SupplierSignIns {
  const { database, keys, indexes, vault, access, places } = foundation;
  const clients = supplierClients(access, `${places.portalUrl}/sign-in/supplier/callback`, foundation);
  const signIns = new SignInRepository(database, keys);
  const occupancy = new OccupancyRepository(database, indexes, vault);
  const tenancy = new TenancyRepository(database, indexes);
  const start = sessionStart(foundation);
  const customerAt = async (mpxn: string): Promise<OccupantRecord | RecordlessPlace> => {
    const found = supplierSignInBy(await occupancy.verifiedAt(mpxn));
    if (!found.allowed) throw new RegisterError('AUT001');
    if (found.record) return found.record;
    const { changes, today } = await tenancy.at(mpxn);
    return { mpxn, since: changes.at(-1)?.day ?? today };
  };
  return {
    async begin(mpid, entry, origin) {
      const client = await clients.of(mpid, origin);
      if (!client) throw new RegisterError('NTF001');
      const mpxn = entry.mpxn ?? (await occupancy.byRef(entry.ir ?? ''))?.mpxn ?? null;
      const { url, checks } = await client.authorization();
      return { secret: await signIns.addAttempt('supplier', { mpid, mpxn, ...originIn(entry), ...checks }), url };
    },
    async finish(secret, callbackUrl, origin) {
      const attempt = await signIns.takeAttempt('supplier', secret);
      const client = attempt && (await clients.of(attempt.mpid, origin));
      if (!attempt || !client) throw new RegisterError('AUT001');
      const { mpxn: claimed } = await client.claims(callbackUrl, attempt);
      const { mpxn } = attempt;
      if (mpxn === null || !claimNames(claimed, mpxn)) throw new RegisterError('AUT001');
      return start({ by: await customerAt(mpxn), contact: null, means: 'supplier', from: attempt }, origin);
    },
  };
}
