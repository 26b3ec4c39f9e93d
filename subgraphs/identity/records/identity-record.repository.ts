import { randomUUID } from 'node:crypto';
import { isUuid, newIdentifier } from '../../../schema/identifiers';
import type { Database } from '../../server/database/database';
import type { IdempotentRequest } from '../../server/idempotency';
import { type Session, inTransaction } from '../../server/database/transaction';
import type { IdentityRecord, IdentityRecordLink, NewIdentityRecord, PersonalData } from './identity-record';
import type { IdentityRecordSearch } from './identity-record-rules';
import type { Enrol } from '../passkeys/passkey-enrolment.flow';
import type { BlindIndexes } from './blind-index';
import {
  CHECK_EXISTENCE,
  SHOW_CONSENTS,
  LINKS_BY_REF,
  OWN_RECORDS,
  RECORDS_BY_ID,
  RECORDS_BY_REF,
  REGISTER_RECORD,
} from './identity-record.sql';
import { lockMeterPoint } from '../locks.sql';
import { PERSONAL_DATA_FORM, type PersonalDataCipher } from './personal-data-cipher';
import { requireWithinLimit } from './record-limit.queries';
import { type IdentityRecordRow, StoredIdentityRecord } from './stored-identity-record';

/** Result of a registration; stored for repeats with the same idempotency key. */
export interface RegisteredIdentityRecord {
  readonly ir: string;
  readonly passkeyRegistrationRedirect: string | null;
}

/** A record that a Data User added. */
export interface AddedRecord {
  readonly recordId: string;
  readonly duid: string;
  readonly mpxnIndex: Buffer;
  readonly moveInDate: string;
  readonly isVerified: boolean;
  readonly hasEmail: boolean;
}

/** Effects of a new record, in the transaction that adds it. */
export interface AddedRecordNotes {
  /** The transaction has locked the meter point. */
  recordAdded(session: Session, added: AddedRecord): Promise<void>;
}

interface AddedBy {
  readonly id: string;
  readonly duid: string;
}

/** Identity Records, encrypted when stored and decrypted when read. Resolvers decide who may read them. */
export class IdentityRecordRepository {
  /** Returns the fields of a record that `access` needs; undefined if there is none. */
  readonly link: (ref: string) => Promise<IdentityRecordLink | undefined>;
  private readonly rowByRef: (ref: string) => Promise<IdentityRecordRow | undefined>;
  private readonly rowById: (id: string) => Promise<IdentityRecordRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly indexes: BlindIndexes,
    private readonly cipher: PersonalDataCipher,
  ) {
    this.link = database.reads.byKey(LINKS_BY_REF, (row: IdentityRecordLink) => row.ref, String);
    this.rowByRef = database.reads.byKey(RECORDS_BY_REF, (row: IdentityRecordRow) => row.ir, String);
    this.rowById = database.reads.byKey(RECORDS_BY_ID, (row: IdentityRecordRow) => row.id, String);
  }

  /** Returns the record with this key, of any Data User. */
  async byRef(ref: string): Promise<IdentityRecord | null> {
    const row = await this.rowByRef(ref);
    return row ? this.recordOf(row) : null;
  }

  /** Returns the record with this internal id, of any Data User. */
  async byId(id: string): Promise<IdentityRecord | null> {
    const row = isUuid(id) ? await this.rowById(id) : undefined;
    return row ? this.recordOf(row) : null;
  }

  /** Returns a Data User's own live records, newest first, at most 500. */
  async search(duid: string, { mpxn, email }: IdentityRecordSearch): Promise<IdentityRecord[]> {
    const values = [duid, mpxn && this.indexes.mpxn(mpxn), email && this.indexes.email(email)];
    const { rows } = await this.database.pool.query<IdentityRecordRow>({ ...OWN_RECORDS, values });
    return rows.map((row) => this.recordOf(row));
  }

  /** Counts a Data User's existence check on the live records of a meter point, at most 500, before the response. */
  async countExistenceCheck(mpxn: string, duid: string): Promise<void> {
    await this.database.pool.query({ ...CHECK_EXISTENCE, values: [this.indexes.mpxn(mpxn), duid] });
  }

  /** Counts a Data User's lookup of consents on the live records of a meter point, at most 500, before the response. */
  async countShownConsents(mpxn: string, duid: string): Promise<void> {
    await this.database.pool.query({ ...SHOW_CONSENTS, values: [this.indexes.mpxn(mpxn), duid] });
  }

  /** Registers a record, with the passkey enrolment that it initiates. Returns undefined if the idempotency key was used before. */
  async register(
    duid: string,
    record: NewIdentityRecord,
    request: IdempotentRequest,
    enrol?: Enrol,
    contacts?: AddedRecordNotes,
  ): Promise<RegisteredIdentityRecord | undefined> {
    const id = randomUUID();
    const enrolment = await enrol?.(id);
    const ir = newIdentifier('ir');
    const response: RegisteredIdentityRecord = { ir, passkeyRegistrationRedirect: enrolment?.redirectUrl ?? null };
    const values = [...request.claim(response), ...this.columns(id, ir, duid, record)];
    return inTransaction(this.database.pool, async (session) => {
      if (!(await isInserted(session, values))) return undefined;
      await enrolment?.store(session);
      await this.checkAndNote(session, { id, duid, ...record }, contacts);
      return response;
    });
  }

  /** Checks the limit and records contacts in the transaction of a new record, under the lock of its meter point. */
  private async checkAndNote(
    session: Session,
    { id: recordId, duid, piiPrincipal, principalVerification, email }: NewIdentityRecord & AddedBy,
    contacts?: AddedRecordNotes,
  ): Promise<void> {
    const { mpxn, moveInDate } = piiPrincipal;
    const mpxnIndex = this.indexes.mpxn(mpxn);
    await lockMeterPoint(session, mpxnIndex);
    await requireWithinLimit(session, this.cipher, { mpxnIndex, duid, moveInDate });
    const [isVerified, hasEmail] = [principalVerification?.outcome === 'verified', email !== null];
    await contacts?.recordAdded(session, { recordId, duid, mpxnIndex, moveInDate, isVerified, hasEmail });
  }

  /** Parameters $6 to $16 of {@link REGISTER_RECORD}. */
  private columns(id: string, ir: string, duid: string, { expressedBy, ...record }: NewIdentityRecord): unknown[] {
    const personal = personalDataOf(record);
    const { mpxn } = personal.piiPrincipal;
    const { sealed, wrappedKey } = this.cipher.encryptValue(id, personal);
    const emailIndex = personal.email === null ? null : this.indexes.email(personal.email);
    const meterPointId = this.indexes.meterPointId(mpxn);
    return [
      id,
      ir,
      duid,
      this.indexes.mpxn(mpxn),
      emailIndex,
      meterPointId,
      expressedBy,
      PERSONAL_DATA_FORM,
      sealed,
      wrappedKey,
      personal.principalVerification?.outcome === 'verified',
    ];
  }

  private recordOf(row: IdentityRecordRow): IdentityRecord {
    return new StoredIdentityRecord(row, this.cipher);
  }
}

async function isInserted(session: Session, values: unknown[]): Promise<boolean> {
  return (await session.query({ ...REGISTER_RECORD, values })).rowCount === 1;
}

function personalDataOf({ piiPrincipal, principalVerification, email }: PersonalData): PersonalData {
  return { piiPrincipal, principalVerification, email: email === null ? null : email.trim() };
}
