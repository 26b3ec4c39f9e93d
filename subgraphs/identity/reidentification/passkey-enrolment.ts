import { refuse } from '../../../schema/register-error';
import { type CallContext, callerOf, duidOf } from '../../server/caller';
import type { Session } from '../../server/transaction';
import type { CeremonyIssuer } from './ceremony-issuer';
import type { NewIdentityRecord } from '../domain/identity-record';
import { unregisteredReturnUrl } from '../domain/reidentification-rules';
import type { Organisations } from '../organisations';

/** A passkey registration that begins with a new Identity Record, stored in the same transaction. */
export interface NewEnrolment {
  /** Where the Data User sends the customer. */
  readonly redirectUrl: string;
  store(session: Session): Promise<void>;
}

/** Prepares the enrolment of a record that is about to be stored. */
export type Enrol = (recordId: string) => Promise<NewEnrolment>;

/** The passkey registration that a Data User may initiate with a new record: it vouches for its customer, no proof comes first. */
export class PasskeyEnrolment {
  constructor(
    private readonly issuer: CeremonyIssuer,
    private readonly organisations: Organisations,
  ) {}

  /** What a registration initiates, undefined when nothing; refuses a return URL that is not registered for the account (VAL008). */
  async initiatedBy(record: NewIdentityRecord, context: CallContext): Promise<Enrol | undefined> {
    const { initiatePasskeyRegistration, passkeyReturnUrl: returnUrl, state } = record;
    if (!initiatePasskeyRegistration) return undefined;
    const { returnUrls } = await this.organisations.of(duidOf(context), context);
    refuse(unregisteredReturnUrl(['passkeyReturnUrl'], returnUrl, returnUrls));
    const { accountId } = callerOf(context);
    const facts = {
      duid: duidOf(context),
      accountId,
      scope: 'own',
      method: 'passkey-register',
      returnUrl,
      state,
    } as const;
    return async (recordId) => {
      const start = { kind: 'register-passkey', proofs: [], vouched: true } as const;
      const issued = await this.issuer.issue({ ...facts, recordId }, start);
      return {
        redirectUrl: this.issuer.passkeyRedirect(issued),
        store: (session) => this.issuer.store(session, issued),
      };
    };
  }
}
