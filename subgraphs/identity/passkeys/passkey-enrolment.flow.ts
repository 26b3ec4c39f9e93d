import type { CallContext } from '../../server/callers/caller';
import type { Session } from '../../server/database/transaction';
import { type CeremonyIssuer, initiatorOf } from '../reidentification/ceremony-issuer.flow';
import type { NewIdentityRecord } from '../records/identity-record';

/** The registration of a passkey that a new Identity Record initiates; stored in the same transaction. */
interface NewEnrolment {
  /** URL to which the Data User sends the customer. */
  readonly redirectUrl: string;
  store(session: Session): Promise<void>;
}

/** Prepares the enrolment of a record that is about to be stored. */
export type Enrol = (recordId: string) => Promise<NewEnrolment>;

/**
 * Registration of a passkey that a Data User initiates with a new record. The Data User vouches for its customer, so no proof is required.
 */
export class PasskeyEnrolment {
  constructor(private readonly issuer: CeremonyIssuer) {}

  /** Returns the enrolment that a registration initiates; undefined for none. */
  initiatedBy(record: NewIdentityRecord, context: CallContext): Enrol | undefined {
    const { initiatePasskeyRegistration, passkeyReturnUrl: returnUrl, state } = record;
    if (!initiatePasskeyRegistration) return undefined;
    const reidentification = {
      ...initiatorOf(context),
      scope: 'own',
      method: 'passkey-register',
      returnUrl,
      state,
    } as const;
    return async (recordId) => {
      const start = { kind: 'register-passkey', proofs: [], vouched: true } as const;
      const issued = await this.issuer.issue({ ...reidentification, recordId }, start);
      return {
        redirectUrl: this.issuer.passkeyRedirect(issued),
        store: (session) => this.issuer.store(session, issued),
      };
    };
  }
}
