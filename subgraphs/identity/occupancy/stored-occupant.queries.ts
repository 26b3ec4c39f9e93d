import type { PersonalData, UkAddress } from '../records/identity-record';
import { type Occupancy, type OccupantRecord, type TenancyChange, occupancyOf, tenancyOf } from './occupancy';
import { MAX_PASSKEYS_OF_RECORD } from '../passkeys/passkey';
import { type PersonalDataCipher, decryptedOnce } from '../records/personal-data-cipher';
import { type TenancyChangeRow, changesOf } from './tenancy-change.sql';
import type { Contact, ContactProof, ContactVerdict, HeldContact } from '../contacts/contact';

/** A verdict or proof: the tenancy in which it was given, by the changes recorded then, its time, and that day in Great Britain. */
interface Finding {
  readonly tenancy: string;
  readonly at: string;
  readonly day: string;
}

/** Columns of a record with its personal data encrypted. */
export interface OccupantRow {
  readonly id: string;
  readonly ir: string;
  readonly duid: string;
  readonly createdAt: Date;
  readonly meterPointId: string;
  readonly sealed: Buffer;
  readonly wrappedKey: Buffer;
  /** Null until a record of the previous release was decrypted, which stores it. */
  readonly isVerified: boolean | null;
  readonly isClosing: boolean;
  readonly isClosed: boolean;
  readonly emailContact: Contact | null;
  readonly passkeys: readonly { readonly contact: Contact; readonly since: string }[];
  readonly changes: readonly TenancyChangeRow[];
  /** Verdicts on contacts at the meter point, of all tenancies, oldest first. */
  readonly verdicts: readonly (Finding & { readonly contact: Contact; readonly verdict: ContactVerdict })[];
  /** Contacts of the record that an admin's rejection of its Data User's assertions concerns. */
  readonly rejectedAssertions: readonly Contact[];
  readonly proofs: readonly (Finding & { readonly one: Contact; readonly other: Contact })[];
  /** The present day in Great Britain. */
  readonly today: string;
}

/** An Identity Record that is not anonymised. Its personal data is decrypted once, when a personal field is read. */
export class StoredOccupant implements OccupantRecord {
  readonly changes: readonly TenancyChange[];
  private readonly personal: () => PersonalData;
  private judged: ReadonlySet<Contact> | undefined;

  constructor(
    private readonly row: OccupantRow,
    cipher: PersonalDataCipher,
  ) {
    this.personal = decryptedOnce(cipher, row.id, row);
    this.changes = changesOf(row.changes);
  }

  get id(): string {
    return this.row.id;
  }
  get ir(): string {
    return this.row.ir;
  }
  get duid(): string {
    return this.row.duid;
  }
  get createdAt(): Date {
    return this.row.createdAt;
  }
  get meterPointId(): string {
    return this.row.meterPointId;
  }
  get hasPasskey(): boolean {
    return this.row.passkeys.some(({ contact }) => !this.rejectedContacts.has(contact));
  }
  get mayAddPasskey(): boolean {
    return this.row.passkeys.length < MAX_PASSKEYS_OF_RECORD;
  }
  get mpxn(): string {
    return this.personal().piiPrincipal.mpxn;
  }
  get moveInDate(): string {
    return this.personal().piiPrincipal.moveInDate;
  }
  get address(): UkAddress | null {
    return this.personal().piiPrincipal.address;
  }
  get email(): string | null {
    const { emailContact } = this.row;
    return emailContact === null || this.rejectedContacts.has(emailContact) ? null : this.personal().email;
  }
  get storedEmail(): string | null {
    return this.personal().email;
  }
  get isVerified(): boolean {
    const isAsserted = this.row.isVerified ?? this.personal().principalVerification?.outcome === 'verified';
    return isAsserted && (this.heldContacts.length === 0 || this.rejected.length < this.heldContacts.length);
  }
  get isClosing(): boolean {
    return this.row.isClosing;
  }
  get isClosed(): boolean {
    return this.row.isClosed;
  }
  get occupancy(): Occupancy {
    const occupiedSince = this.changes.at(-1)?.day ?? null;
    return occupancyOf({ moveInDate: this.moveInDate, occupiedSince, today: this.row.today });
  }
  get tenancy(): string {
    return tenancyOf(this.moveInDate, this.changes);
  }
  get contacts(): readonly HeldContact[] {
    return this.isVerified ? this.unrejected : [];
  }
  get unrejected(): readonly HeldContact[] {
    return this.heldContacts.filter(({ contact }) => !this.rejectedContacts.has(contact));
  }
  get rejected(): readonly HeldContact[] {
    return this.heldContacts.filter(({ contact }) => this.rejectedContacts.has(contact));
  }
  get proofs(): readonly ContactProof[] {
    return this.row.proofs.filter((proof) => this.isConcernedBy(proof)).map(({ one, other }) => [one, other]);
  }
  /**
   * A rejection also holds in the tenancy of its day by the present changes, for each record of that tenancy: only the current occupant gives
   * verdicts, so it is of that tenancy even if a Change of Tenancy of an earlier day was recorded after it.
   */
  get verdicts(): ReadonlyMap<Contact, ContactVerdict> {
    const here = this.row.verdicts.filter(
      (given) =>
        this.isConcernedBy(given) ||
        (given.verdict === 'rejected' && tenancyOf(given.day, this.changes) === this.tenancy),
    );
    return new Map(here.map(({ contact, verdict }) => [contact, verdict])); // oldest first: the latest of a contact remains
  }
  get confirmed(): readonly Contact[] {
    return this.contactsJudged('confirmed');
  }

  /** Contacts of the record, rejected ones included. */
  private get heldContacts(): readonly HeldContact[] {
    const { id: recordId, duid, emailContact, passkeys, createdAt } = this.row;
    const email = emailContact === null ? [] : [{ contact: emailContact, kind: 'email' as const, since: createdAt }];
    const keys = passkeys.map(({ contact, since }) => ({ contact, kind: 'passkey' as const, since: new Date(since) }));
    return [...email, ...keys].map((held) => ({ ...held, recordId, duid }));
  }

  /**
   * Contacts that were rejected by a customer signed in at the supplier, if the verdict holds for the record, or by an admin. The customer can
   * confirm what an admin rejected.
   */
  private get rejectedContacts(): ReadonlySet<Contact> {
    const { verdicts, rejectedAssertions } = this.row;
    if (rejectedAssertions.length === 0 && !verdicts.some(({ verdict }) => verdict === 'rejected')) return NONE; // nothing is opened for it
    return (this.judged ??= new Set([
      ...this.contactsJudged('rejected'),
      ...rejectedAssertions.filter((contact) => !this.confirmed.includes(contact)),
    ]));
  }

  private contactsJudged(as: ContactVerdict): Contact[] {
    return [...this.verdicts].flatMap(([contact, verdict]) => (verdict === as ? contact : []));
  }

  /**
   * Whether a finding holds for this record: it was given in the record's tenancy, or the record was part of the finding's tenancy until a
   * Change of Tenancy of an earlier day was recorded.
   */
  private isConcernedBy({ tenancy, at, day }: Finding): boolean {
    if (tenancy === this.tenancy) return true;
    const givenAt = new Date(at);
    const changesThen = this.changes.filter(({ began }) => began <= givenAt);
    const hadMovedIn = this.createdAt <= givenAt && this.moveInDate <= day;
    return hadMovedIn && tenancyOf(this.moveInDate, changesThen) === tenancy;
  }
}

const NONE: ReadonlySet<Contact> = new Set();
