import { RegisterError } from '../../../schema/register-error';
import type { Database } from '../../server/database';
import { refuseLimited } from '../../server/rate-limits';
import type { RegisterClock } from '../../server/register-clock';
import type { QuestionOrigin } from '../../server/service-question';
import { type Session, inTransaction } from '../../server/transaction';
import type { CeremonyRepository, OpenCeremony } from '../database/ceremony.repository';
import { holdLiveRecord } from '../database/live-record';
import type { OccupancyRepository } from '../database/occupancy.repository';
import type { PasskeyRepository } from '../database/passkey.repository';
import type { ReidentificationRepository } from '../database/reidentification.repository';
import { newSecret } from '../database/secrets';
import {
  type CeremonyOutcome,
  type ChallengeKind,
  type PasskeyCeremonyOptions,
  ceremonyStart,
  nextPasskeyCeremony,
} from '../domain/ceremony';
import { admitsCeremony } from '../domain/occupancy';
import type { OccupantRecord } from '../domain/occupant-record';
import type { Language } from '../domain/outgoing-mail';
import { type NewPasskey, passkeyLabel } from '../domain/passkey';
import { LINK_SECONDS, REDIRECT_SECONDS, secondsAfter } from '../domain/reidentification';
import type { ContactNotes } from '../contacts/contact-notes';
import { type Contact, currentContacts, isContested, isRejected } from '../domain/contacts';
import type { Mails } from '../mails/mails';
import type { Organisations } from '../organisations';
import type { RelyingParty } from './webauthn';

/** What the ceremonies stand on. */
export interface CeremonyParts {
  readonly database: Database;
  readonly ceremonies: CeremonyRepository;
  readonly reidentifications: ReidentificationRepository;
  readonly occupants: OccupancyRepository;
  readonly passkeys: PasskeyRepository;
  readonly party: RelyingParty;
  readonly organisations: Organisations;
  readonly mails: Mails;
  readonly clock: RegisterClock;
  readonly contacts: ContactNotes;
}

/** A ceremony as its page shows it. */
export type CeremonyDescription = Pick<OpenCeremony, 'kind' | 'proofs' | 'expiresAt'> & {
  readonly organisation: string;
};

interface ValidCeremony {
  readonly ceremony: OpenCeremony;
  readonly occupant: OccupantRecord;
}

/**
 * The customer's steps on the register's own pages (2-decisions-a-b.md, section 4). Whoever has the secret may take them; a wrong, used
 * or expired one is NTF001 without distinction, a response of a passkey that is refused is AUT001, and REI001 when the record has none.
 */
export class Ceremonies {
  constructor(private readonly parts: CeremonyParts) {}

  /** What a secret opens; undefined when it is not valid. */
  async describe(secret: string, origin: QuestionOrigin): Promise<CeremonyDescription | undefined> {
    const valid = await this.find(secret);
    if (!valid) return undefined;
    const { kind, proofs, expiresAt, duid } = valid.ceremony;
    return { kind, proofs, expiresAt, organisation: await this.nameOf(duid, origin) };
  }

  /** The button of a mailed link's page. */
  async confirmLink(secret: string, origin: QuestionOrigin): Promise<CeremonyOutcome> {
    const { ceremony, occupant } = await this.valid(secret);
    const organisation = await this.nameOf(ceremony.duid, origin);
    if (occupant.email === null) throw new RegisterError('NTF001'); // the address was rejected since the link was mailed
    if (ceremony.kind === 'confirm-link') return this.confirm(ceremony, organisation);
    const provenBy = occupant.contacts.find(({ kind }) => kind === 'email')?.contact ?? null;
    if (ceremony.kind === 'confirm-proof') return this.goOnProven(ceremony, organisation, provenBy);
    throw new RegisterError('NTF001');
  }

  /** Options with a new challenge, which takes the place of any before it. */
  async passkeyOptions(secret: string): Promise<PasskeyCeremonyOptions> {
    const valid = await this.valid(secret);
    const kind = nextPasskeyCeremony(valid.ceremony);
    if (kind === undefined) throw new RegisterError('REI001');
    const { options, challenge } = await this.optionsOf(kind, valid);
    if (await this.parts.ceremonies.keepChallenge(valid.ceremony.id, { kind, challenge })) return { kind, options };
    throw new RegisterError('NTF001');
  }

  /** The response of the browser. Its challenge is used up, whatever comes of it. */
  async finishPasskey(secret: string, response: unknown, origin: QuestionOrigin): Promise<CeremonyOutcome> {
    const { ceremony, occupant } = await this.valid(secret);
    const organisation = await this.nameOf(ceremony.duid, origin);
    const taken = await this.parts.ceremonies.takeChallenge(ceremony.id);
    if (!taken) throw new RegisterError('AUT001');
    if (taken.kind === 'registration') {
      const passkey = await this.parts.party.verifyRegistration(response, taken.challenge);
      if (!passkey) throw new RegisterError('AUT001');
      return this.confirm(ceremony, organisation, (session) => this.enrol(session, ceremony, occupant, passkey));
    }
    const asserted = await this.parts.passkeys.assert(response, taken.challenge, ceremony);
    if (!asserted) throw await this.whyNotAsserted(ceremony);
    if (occupant.rejected.some(({ contact }) => contact === asserted.contact)) throw new RegisterError('AUT001');
    return ceremony.kind === 'assert-passkey'
      ? this.confirm(ceremony, organisation)
      : this.goOnProven(ceremony, organisation, asserted.contact);
  }

  /** Mails a link to the stored address by which the customer proves who they are before a passkey is added. */
  async mailProof(secret: string, language: Language, origin: QuestionOrigin): Promise<void> {
    const { database, ceremonies, reidentifications, mails } = this.parts;
    const { ceremony } = await this.valid(secret);
    const { id: parentId, reidentificationId, recordId } = ceremony;
    if (!ceremony.proofs.includes('mail')) throw new RegisterError('REI001');
    const organisation = await this.nameOf(ceremony.duid, origin);
    refuseLimited(await mails.permit(recordId, ceremony.duid));
    const proof = { secret: newSecret(), expiresAt: await this.expiryOf(ceremony, LINK_SECONDS) };
    await inTransaction(database.pool, async (session) => {
      if (!(await holdLiveRecord(session, recordId))) throw new RegisterError('NTF001');
      await ceremonies.insert(session, { ...ceremonyStart('confirm-proof'), ...proof, parentId, reidentificationId });
      await reidentifications.keepOpen(session, reidentificationId, proof.expiresAt);
      await mails.enqueue(session, { kind: 'passkey-proof-link', recordId, organisation, language, ...proof });
    });
  }

  /**
   * A ceremony of a live record whose occupancy admits it now, whatever it was when the ceremony was issued. One by meter point is over
   * while contacts there stand against each other.
   */
  private async find(secret: string): Promise<ValidCeremony | undefined> {
    const ceremony = await this.parts.ceremonies.bySecret(secret);
    const occupant = ceremony && (await this.parts.occupants.byId(ceremony.recordId));
    if (!occupant || !admitsCeremony(occupant.occupancy, ceremony) || isRejected(occupant)) return undefined;
    const isOver = ceremony.isDiscovered && isContested(currentContacts(await this.atHomeOf(occupant)).groups);
    return isOver ? undefined : { ceremony, occupant };
  }

  private atHomeOf({ mpxn }: OccupantRecord): Promise<readonly OccupantRecord[]> {
    return this.parts.occupants.verifiedAt(mpxn);
  }

  private async valid(secret: string): Promise<ValidCeremony> {
    const valid = await this.find(secret);
    if (!valid) throw new RegisterError('NTF001');
    return valid;
  }

  private async optionsOf(kind: ChallengeKind, { ceremony, occupant: { id: recordId, mpxn } }: ValidCeremony) {
    const { passkeys, party } = this.parts;
    const registered = await passkeys.webauthnIds(recordId);
    if (kind === 'registration') {
      return party.registrationOptions({ recordId, label: passkeyLabel(mpxn), exclude: registered });
    }
    if (registered.length === 0) throw new RegisterError('REI001');
    return party.assertionOptions(ceremony.isDiscovered ? [] : registered);
  }

  /** A response was wrong, which the customer may try again, or the record has no passkey any more, which the customer may not. */
  private async whyNotAsserted({ recordId }: OpenCeremony): Promise<RegisterError> {
    const remaining = await this.parts.passkeys.webauthnIds(recordId);
    return new RegisterError(remaining.length === 0 ? 'REI001' : 'AUT001');
  }

  /** Uses the ceremony up and confirms its re-identification, with whatever else belongs to it: all or nothing, once. */
  private async confirm(
    ceremony: OpenCeremony,
    organisation: string,
    more: (session: Session) => Promise<void> = () => Promise.resolve(),
  ): Promise<CeremonyOutcome> {
    await this.step(ceremony, async (session) => {
      await more(session);
      if (!(await this.parts.reidentifications.confirm(session, ceremony.reidentificationId))) {
        throw new RegisterError('NTF001');
      }
    });
    return { organisation, returnUrl: ceremony.returnUrl, nextSecret: null };
  }

  /** After the proof only this browser goes on, by a secret that nobody else knows: the one of the redirect is used up. */
  private async goOnProven(
    ceremony: OpenCeremony,
    organisation: string,
    provenBy: Contact | null,
  ): Promise<CeremonyOutcome> {
    const { reidentificationId } = ceremony;
    const next = { secret: newSecret(), expiresAt: await this.expiryOf(ceremony, REDIRECT_SECONDS) };
    await this.step(ceremony, async (session) => {
      await this.parts.ceremonies.insert(session, {
        ...ceremonyStart('register-passkey'),
        ...next,
        reidentificationId,
        provenBy,
      });
      await this.parts.reidentifications.keepOpen(session, reidentificationId, next.expiresAt);
    });
    return { organisation, returnUrl: null, nextSecret: next.secret };
  }

  private step(ceremony: OpenCeremony, work: (session: Session) => Promise<void>): Promise<void> {
    return inTransaction(this.parts.database.pool, async (session) => {
      const isHeld = await holdLiveRecord(session, ceremony.recordId);
      if (!isHeld || !(await this.parts.ceremonies.use(session, ceremony))) throw new RegisterError('NTF001');
      await work(session);
    });
  }

  /** Adds the passkey. A Data User vouches for a customer without one, no more: of two such redirects one enrols. */
  private async enrol(
    session: Session,
    { recordId, vouched, provenBy }: OpenCeremony,
    occupant: OccupantRecord,
    passkey: NewPasskey,
  ): Promise<void> {
    if (vouched && (await this.parts.passkeys.hasAny(session, recordId))) throw new RegisterError('NTF001');
    if (!(await this.parts.passkeys.add(session, recordId, passkey))) throw new RegisterError('AUT001');
    const contact = this.parts.passkeys.contactOf(passkey.webauthnId);
    await this.parts.contacts.passkeyAdded(session, occupant, { contact, provenBy });
  }

  /** So many seconds from now, and never beyond the token. */
  private async expiryOf({ tokenExpiresAt }: OpenCeremony, seconds: number): Promise<Date> {
    const expiry = secondsAfter(await this.parts.clock.now(), seconds);
    return expiry < tokenExpiresAt ? expiry : tokenExpiresAt;
  }

  private async nameOf(duid: string, origin: QuestionOrigin): Promise<string> {
    return (await this.parts.organisations.of(duid, origin)).displayName;
  }
}
