import type { ExpressedBy, IdentityRecord, PersonalData } from './identity-record';
import { type PersonalDataCipher, decryptedOnce } from './personal-data-cipher';

/** Columns of an Identity Record with its personal data encrypted. */
export interface IdentityRecordRow {
  readonly id: string;
  readonly ir: string;
  readonly duid: string;
  readonly createdAt: Date;
  readonly expressedBy: ExpressedBy;
  readonly emailIndex: Buffer | null;
  readonly sealed: Buffer;
  /** Null after the data key was destroyed. */
  readonly wrappedKey: Buffer | null;
  readonly anonymisedAt: Date | null;
}

/** An Identity Record as GraphQL reads it. Its personal data is decrypted once, when a personal field is selected. */
export class StoredIdentityRecord implements IdentityRecord {
  private decrypted: (() => PersonalData) | undefined;

  constructor(
    private readonly row: IdentityRecordRow,
    private readonly cipher: PersonalDataCipher,
  ) {}

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
  get expressedBy(): ExpressedBy {
    return this.row.expressedBy;
  }
  get hasEmail(): boolean {
    return this.row.emailIndex !== null;
  }
  get anonymisedAt(): Date | null {
    return this.row.anonymisedAt;
  }

  personal(): PersonalData | null {
    const { id, sealed, wrappedKey, anonymisedAt } = this.row;
    if (anonymisedAt !== null) return null;
    if (wrappedKey === null) throw new Error('the data key of an identity record is missing');
    return (this.decrypted ??= decryptedOnce(this.cipher, id, { sealed, wrappedKey }))();
  }
}
