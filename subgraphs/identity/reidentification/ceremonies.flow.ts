import { RegisterError } from '../../../schema/register-error';
import type { Database } from '../../server/database/database';
import { rejectLimited } from '../../server/callers/rate-limits';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import type { RegisterClock } from '../../server/database/register-clock';
import type { CallOrigin } from '../../server/graph/service-query';
import { type Session, inTransaction } from '../../server/database/transaction';
import { type CeremonyRepository, type OpenCeremony, lockLiveRecord } from './ceremony.repository';
import type { OccupancyRepository } from '../occupancy/occupancy.repository';
import type { ReidentificationRepository } from './reidentification.repository';
import { type IdentityKeys, newSecret } from '../keys';
import { type PressedLink, pressOrRepeat, nextSecretOf } from '../pressed-link';
import { type CeremonyOutcome, type PasskeyCeremonyOptions, ceremonyStart, nextPasskeyCeremony } from './ceremony';
import { type OccupantRecord, admitsCeremony, isReadable } from '../occupancy/occupancy';
import type { Language } from '../mails/outgoing-mail';
import { LINK_SECONDS, REDIRECT_SECONDS, isOfReturnUrl, secondsAfter, withoutToken } from './reidentification';
import { currentContacts, holds, isContested, isRejected } from '../contacts/contacts';
import type { Contact } from '../contacts/contact';
import { mayFinish, proofsOf } from './reidentification-choice';
import type { Mails } from '../mails/mail-queue.flow';
import type { Organisation, Organisations } from '../organisations.client';
import { challengeIn } from '../passkeys/webauthn.flow';
import { type CeremonyPasskeyDependencies, CeremonyPasskeys, type ValidCeremony } from './ceremony-passkeys.flow';

/** Dependencies of the ceremonies. */
interface CeremonyDependencies extends CeremonyPasskeyDependencies {
  readonly database: Database;
  readonly keys: IdentityKeys;
  readonly ceremonies: CeremonyRepository;
  readonly reidentifications: ReidentificationRepository;
  readonly occupants: OccupancyRepository;
  readonly organisations: Organisations;
  readonly mails: Mails;
  readonly clock: RegisterClock;
}

/** A ceremony as its page displays it. */
export type CeremonyDescription = Pick<OpenCeremony, 'kind' | 'proofs' | 'expiresAt'> & {
  readonly organisation: string;
  /** Where a customer returns who does not continue; null if the Data User supplied no return URL. */
  readonly cancelUrl: string | null;
};

/**
 * Steps of customers on the register's own pages (decisions A/B, 4). The secret of a link or redirect authorises them. Throws NTF001 for an
 * unknown, used or expired secret, AUT001 for a rejected passkey response, and REI001 if the record has no passkey.
 */
export class Ceremonies {
  private readonly passkeys: CeremonyPasskeys;
  private readonly hashOfProof: KeyedHash;

  constructor(private readonly dependencies: CeremonyDependencies) {
    this.passkeys = new CeremonyPasskeys(dependencies);
    this.hashOfProof = keyedHash(dependencies.keys.hashKey, 'ceremony-after-proof');
  }

  /** Returns the ceremony of a secret; undefined if the secret is not valid. */
  async describe(secret: string, origin: CallOrigin): Promise<CeremonyDescription | undefined> {
    const valid = await this.find(secret, origin);
    if (!valid) return undefined;
    const { kind, proofs, expiresAt, returnUrl } = valid.ceremony;
    const cancelUrl = returnUrl === null ? null : withoutToken(returnUrl);
    return { kind, proofs, expiresAt, cancelUrl, organisation: valid.initiator.displayName };
  }

  /**
   * Confirms a mailed link; the button of its page calls it. A second press of a proof in the same browser returns the same next step until the
   * link expires or that step is done.
   */
  confirmLink(link: PressedLink, origin: CallOrigin): Promise<CeremonyOutcome> {
    const nextSecret = nextSecretOf(this.hashOfProof, link);
    return pressOrRepeat(
      () => this.press(link.secret, nextSecret, origin),
      'NTF001',
      () => this.earlierStep(link.secret, nextSecret, origin),
    );
  }

  private async press(secret: string, nextSecret: string, origin: CallOrigin): Promise<CeremonyOutcome> {
    const valid = await this.valid(secret, origin);
    const address = valid.occupant.unrejected.find(({ kind }) => kind === 'email');
    if (address === undefined) throw new RegisterError('NTF001'); // it was rejected after the link was mailed
    const proven = proving(valid, address.contact);
    if (valid.ceremony.kind === 'confirm-link') return this.confirm(proven, origin);
    if (valid.ceremony.kind === 'confirm-proof') return this.continueProven(proven, nextSecret, origin);
    throw new RegisterError('NTF001');
  }

  private async earlierStep(
    secret: string,
    nextSecret: string,
    origin: CallOrigin,
  ): Promise<CeremonyOutcome | undefined> {
    const next = (await this.dependencies.ceremonies.isUsed(secret)) ? await this.find(nextSecret, origin) : undefined;
    return next && { organisation: next.initiator.displayName, returnUrl: null, nextSecret };
  }

  /** Returns options with a new challenge, which replaces any earlier one. */
  async passkeyOptions(secret: string, origin: CallOrigin): Promise<PasskeyCeremonyOptions> {
    const valid = await this.valid(secret, origin);
    const kind = nextPasskeyCeremony(valid.ceremony);
    if (kind === undefined) throw new RegisterError('REI001');
    const { options, challenge } = await this.passkeys.options(kind, valid);
    if (await this.dependencies.ceremonies.storeChallenge(valid.ceremony.id, { kind, challenge }))
      return { kind, options };
    throw new RegisterError('NTF001');
  }

  /** Verifies the response of the browser. The challenge that it contains is used in any case. */
  async finishPasskey(secret: string, response: unknown, origin: CallOrigin): Promise<CeremonyOutcome> {
    const valid = await this.valid(secret, origin);
    const { ceremony, occupant } = valid;
    const taken = await this.dependencies.ceremonies.takeChallenge(ceremony.id, challengeIn(response));
    if (!taken) throw new RegisterError('AUT001');
    if (taken.kind === 'registration') {
      const passkey = await this.dependencies.party.verifyRegistration(response, taken.challenge);
      if (!passkey) throw new RegisterError('AUT001');
      return this.confirm(valid, origin, (session) => this.passkeys.enrol(session, ceremony, occupant, passkey));
    }
    const demand = { recordId: ceremony.recordId, isDiscovered: ceremony.scope === 'cross' };
    const asserted = await this.dependencies.passkeys.assert(response, taken.challenge, demand);
    if (!asserted) throw await this.passkeys.assertionError(ceremony);
    if (!holds(occupant, asserted.contact)) throw new RegisterError('AUT001');
    const proven = proving(valid, asserted.contact);
    return ceremony.kind === 'assert-passkey'
      ? this.confirm(proven, origin)
      : this.continueProven(proven, newSecret(), origin);
  }

  /** Mails a link to the stored address, by which the customer proves their identity before a passkey is added. */
  async mailProof(secret: string, language: Language, origin: CallOrigin): Promise<void> {
    const { database, ceremonies, reidentifications, mails } = this.dependencies;
    const { ceremony, initiator } = await this.valid(secret, origin);
    const { displayName: organisation } = initiator;
    const { id: parentId, reidentificationId, recordId } = ceremony;
    if (!ceremony.proofs.includes('mail')) throw new RegisterError('REI001');
    rejectLimited(await mails.permit(recordId, ceremony.duid));
    const proof = { secret: newSecret(), expiresAt: await this.expiryOf(ceremony, LINK_SECONDS) };
    await inTransaction(database.pool, async (session) => {
      if (!(await lockLiveRecord(session, recordId))) throw new RegisterError('NTF001');
      await ceremonies.insert(session, { ...ceremonyStart('confirm-proof'), ...proof, parentId, reidentificationId });
      await reidentifications.keepOpen(session, reidentificationId, proof.expiresAt);
      await mails.enqueue(session, { kind: 'passkey-proof-link', recordId, organisation, language, ...proof });
    });
  }

  /** Finds a ceremony that its live record admits and its initiator may finish, with the proofs that the customer can still give. */
  private async find(secret: string, origin: CallOrigin): Promise<ValidCeremony | undefined> {
    const ceremony = await this.dependencies.ceremonies.bySecret(secret);
    const occupant = ceremony && (await this.dependencies.occupants.byId(ceremony.recordId));
    if (!occupant || !isReadable(occupant) || !(await this.isAdmitted(ceremony, occupant))) return undefined;
    const possible = proofsOf(occupant);
    const proofs = ceremony.proofs.filter((proof) => possible.includes(proof));
    if (proofs.length === 0 && ceremony.proofs.length > 0) return undefined; // without a proof it would enrol any customer
    const initiator = await this.dependencies.organisations.of(ceremony.duid, origin);
    return mayFinish(ceremony, occupant, initiator)
      ? { ceremony: { ...ceremony, proofs, returnUrl: registeredReturn(ceremony, initiator) }, occupant, initiator }
      : undefined;
  }

  /**
   * Whether the present occupancy of the record admits a ceremony, and the customer still has the contact that was proven. A ceremony by
   * meter point is invalid while contacts there are contested.
   */
  private async isAdmitted(ceremony: OpenCeremony, occupant: OccupantRecord, session?: Session): Promise<boolean> {
    if (!admitsCeremony(occupant.occupancy, ceremony) || isRejected(occupant)) return false;
    if (ceremony.provenBy !== null && !holds(occupant, ceremony.provenBy)) return false;
    if (ceremony.scope === 'own') return true;
    const verified = await this.dependencies.occupants.verifiedAt(occupant.mpxn, session);
    return !isContested(currentContacts(verified).groups);
  }

  private async valid(secret: string, origin: CallOrigin): Promise<ValidCeremony> {
    const valid = await this.find(secret, origin);
    if (!valid) throw new RegisterError('NTF001');
    return valid;
  }

  /** Uses the ceremony and confirms its re-identification in one transaction; only one of concurrent calls succeeds. */
  private async confirm(
    valid: ValidCeremony,
    origin: CallOrigin,
    more: (session: Session) => Promise<void> = () => Promise.resolve(),
  ): Promise<CeremonyOutcome> {
    const { ceremony, initiator } = valid;
    await this.step(valid, origin, async (session) => {
      await more(session);
      if (!(await this.dependencies.reidentifications.confirm(session, ceremony.reidentificationId))) {
        throw new RegisterError('NTF001');
      }
    });
    return { organisation: initiator.displayName, returnUrl: ceremony.returnUrl, nextSecret: null };
  }

  /** Continues after the proof with a new secret for this browser only; the secret of the redirect is used. */
  private async continueProven(valid: ValidCeremony, secret: string, origin: CallOrigin): Promise<CeremonyOutcome> {
    const { ceremony, initiator } = valid;
    const { reidentificationId, provenBy } = ceremony;
    const next = { secret, expiresAt: await this.expiryOf(ceremony, REDIRECT_SECONDS) };
    await this.step(valid, origin, async (session) => {
      await this.dependencies.ceremonies.insert(session, {
        ...ceremonyStart('register-passkey'),
        ...next,
        reidentificationId,
        provenBy,
      });
      await this.dependencies.reidentifications.keepOpen(session, reidentificationId, next.expiresAt);
    });
    return { organisation: initiator.displayName, returnUrl: null, nextSecret: secret };
  }

  /**
   * Locks the meter point and the record, uses the ceremony and runs `work` in one transaction. Reads the initiator and the customer again
   * under locks, because the one may have been suspended, a contact of the other rejected.
   */
  private step(
    { ceremony, occupant }: ValidCeremony,
    origin: CallOrigin,
    work: (session: Session) => Promise<void>,
  ): Promise<void> {
    return inTransaction(this.dependencies.database.pool, async (session) => {
      const present = await this.dependencies.occupants.locked(session, occupant);
      const isLive = await lockLiveRecord(session, ceremony.recordId);
      if (!isLive || !(await this.dependencies.ceremonies.use(session, ceremony))) throw new RegisterError('NTF001');
      const initiator = await this.dependencies.organisations.of(ceremony.duid, origin);
      if (!present || !mayFinish(ceremony, present, initiator)) throw new RegisterError('NTF001');
      if (!(await this.isAdmitted(ceremony, present, session))) throw new RegisterError('NTF001');
      await work(session);
    });
  }

  /** Returns the instant `seconds` from now, but at most the expiry of the token. */
  private async expiryOf({ tokenExpiresAt }: OpenCeremony, seconds: number): Promise<Date> {
    const expiry = secondsAfter(await this.dependencies.clock.now(), seconds);
    return expiry < tokenExpiresAt ? expiry : tokenExpiresAt;
  }
}

/** Returns the return URL of a ceremony while it is registered for the initiator; null otherwise: the customer ends on the register's page. */
function registeredReturn({ returnUrl }: OpenCeremony, { returnUrls }: Organisation): string | null {
  return returnUrls.some((url) => returnUrl !== null && isOfReturnUrl(returnUrl, url)) ? returnUrl : null;
}

/** Returns the ceremony with the contact that the customer has now proven. */
function proving(valid: ValidCeremony, contact: Contact): ValidCeremony {
  return { ...valid, ceremony: { ...valid.ceremony, provenBy: contact } };
}
