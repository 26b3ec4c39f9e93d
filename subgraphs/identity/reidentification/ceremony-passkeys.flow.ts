import { RegisterError } from '../../../schema/register-error';
import type { Session } from '../../server/database/transaction';
import type { ContactNotes } from '../contacts/contact-notices.flow';
import type { OpenCeremony } from './ceremony.repository';
import type { PasskeyRepository } from '../passkeys/passkey.repository';
import type { ChallengeKind } from './ceremony';
import type { OccupantRecord } from '../occupancy/occupancy';
import { MAX_PASSKEYS_OF_RECORD, type NewPasskey, passkeyLabel } from '../passkeys/passkey';
import type { Organisation } from '../organisations.client';
import type { RelyingParty } from '../passkeys/webauthn.flow';

/** Dependencies for the registration and assertion of passkeys. */
export interface CeremonyPasskeyDependencies {
  readonly passkeys: PasskeyRepository;
  readonly party: RelyingParty;
  readonly contacts: ContactNotes;
}

/** A valid ceremony, the record of its customer and the organisation that initiated it. */
export interface ValidCeremony {
  readonly ceremony: OpenCeremony;
  readonly occupant: OccupantRecord;
  readonly initiator: Organisation;
}

/** Passkeys in a ceremony: which may be asserted, and which may be added (decisions A/B, 4). */
export class CeremonyPasskeys {
  constructor(private readonly dependencies: CeremonyPasskeyDependencies) {}

  /**
   * Returns options for the browser. Throws REI001 for an assertion if the record has no passkey, NTF001 for a registration if it has the
   * maximum. In a ceremony by meter point the options
   * name no passkey, because the initiator has the redirect and could read credential ids.
   */
  async options(kind: ChallengeKind, { ceremony, occupant: { id: recordId, mpxn } }: ValidCeremony) {
    const { passkeys, party } = this.dependencies;
    const registered = await passkeys.webauthnIds(recordId);
    if (kind === 'registration') {
      if (registered.length >= MAX_PASSKEYS_OF_RECORD) throw new RegisterError('NTF001');
      return party.registrationOptions({ recordId, label: passkeyLabel(mpxn), exclude: registered });
    }
    if (registered.length === 0) throw new RegisterError('REI001');
    return party.assertionOptions(ceremony.scope === 'cross' ? [] : registered);
  }

  /** Error of a rejected assertion: AUT001, which allows another attempt, or REI001 if the record has no passkey. */
  async assertionError({ recordId }: OpenCeremony): Promise<RegisterError> {
    const remaining = await this.dependencies.passkeys.webauthnIds(recordId);
    return new RegisterError(remaining.length === 0 ? 'REI001' : 'AUT001');
  }

  /**
   * Adds the passkey. A Data User vouches only for a customer without a passkey, so of two such redirects one succeeds. Throws NTF001 if
   * the record has the maximum of passkeys.
   */
  async enrol(
    session: Session,
    { recordId, vouched, provenBy }: OpenCeremony,
    occupant: OccupantRecord,
    passkey: NewPasskey,
  ): Promise<void> {
    const count = await this.dependencies.passkeys.countOf(session, recordId);
    if (count >= (vouched ? 1 : MAX_PASSKEYS_OF_RECORD)) throw new RegisterError('NTF001');
    if (!(await this.dependencies.passkeys.add(session, recordId, passkey))) throw new RegisterError('AUT001');
    const contact = this.dependencies.passkeys.contactOf(passkey.webauthnId);
    await this.dependencies.contacts.passkeyAdded(session, occupant, { contact, provenBy });
  }
}
