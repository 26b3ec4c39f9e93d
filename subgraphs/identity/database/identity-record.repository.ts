import { randomUUID } from 'node:crypto';
import { type FindOptionsWhere, IsNull } from 'typeorm';
import { isUuid, newIdentifier } from '../../../schema/identifiers';
import type { Database } from '../../server/database';
import type { IdempotentRequest } from '../../server/idempotency';
import { type Session, inTransaction } from '../../server/transaction';
import type { IdentityRecord, IdentityRecordLink, NewIdentityRecord, PersonalData } from '../domain/identity-record';
import type { IdentityRecordSearch } from '../domain/identity-record-search';
import type { ContactNotes } from '../contacts/contact-notes';
import type { Enrol } from '../reidentification/passkey-enrolment';
import type { BlindIndexes } from './blind-index';
import { IdentityRecordEntity } from './identity-record.entity';
import {
  CHECK_EXISTENCE,
  SHOW_CONSENTS,
  LINKS_BY_REF,
  RECORDS_BY_ID,
  RECORDS_BY_REF,
  REGISTER_RECORD,
} from './identity-record-statements';
import { lockMeterPoint } from './meter-point-lock';
import { PERSONAL_DATA_FORM, type PersonalDataVault } from './personal-data-vault';
import { keepWithinLimit } from './record-limit';
import { type IdentityRecordRow, StoredIdentityRecord } from './stored-identity-record';

/** What registering answers, also when it is answered again for the same idempotency key. */
export interface RegisteredIdentityRecord {
  readonly ir: string;
  readonly passkeyRegistrationRedirect: string | null;
}

interface AddedBy {
  readonly id: string;
  readonly duid: string;
}

/** Most Identity Records that one search gives. */
const LONGEST_SEARCH_RESULT = 500;

/** Identity Records: sealed on the way in, opened by whoever may read them. Whether a caller may is for the resolvers to ask. */
export class IdentityRecordRepository {
  /** What `access` must know of a record; undefined when there is none. */
  readonly link: (ref: string) => Promise<IdentityRecordLink | undefined>;
  private readonly rowByRef: (ref: string) => Promise<IdentityRecordRow | undefined>;
  private readonly rowById: (id: string) => Promise<IdentityRecordRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly indexes: BlindIndexes,
    private readonly vault: PersonalDataVault,
  ) {
    this.link = database.reads.byKey(LINKS_BY_REF, (row: IdentityRecordLink) => row.ref, String);
    this.rowByRef = database.reads.byKey(RECORDS_BY_REF, (row: IdentityRecordRow) => row.ir, String);
    this.rowById = database.reads.byKey(RECORDS_BY_ID, (row: IdentityRecordRow) => row.id, String);
  }

  /** The record with this key, whosesoever it is. */
  async byRef(ref: string): Promise<IdentityRecord | null> {
    const row = await this.rowByRef(ref);
    return row ? this.recordOf(row) : null;
  }

  /** The record with this internal id, whosesoever it is. */
  async byId(id: string): Promise<IdentityRecord | null> {
    const row = isUuid(id) ? await this.rowById(id) : undefined;
    return row ? this.recordOf(row) : null;
  }

  /** A Data User's own live records, newest first, at most 500. */
  async search(duid: string, { mpxn, email }: IdentityRecordSearch): Promise<IdentityRecord[]> {
    const where: FindOptionsWhere<IdentityRecordEntity> = {
      duid,
      anonymisedAt: IsNull(),
      ...(mpxn === null ? {} : { mpxnIndex: this.indexes.mpxn(mpxn) }),
      ...(email === null ? {} : { emailIndex: this.indexes.email(email) }),
    };
    const found = await this.database.source.getRepository(IdentityRecordEntity).find({
      where,
      relations: { dataKey: true },
      order: { createdAt: 'DESC', ir: 'DESC' },
      take: LONGEST_SEARCH_RESULT,
    });
    return found.map(({ dataKey, ...facts }) => this.recordOf({ ...facts, wrappedKey: dataKey?.wrappedKey ?? null }));
  }

  /** Counts the existence check of a Data User on every live record of a meter point, before it is answered. */
  async countExistenceCheck(mpxn: string, duid: string): Promise<void> {
    await this.database.pool.query({ ...CHECK_EXISTENCE, values: [this.indexes.mpxn(mpxn), duid] });
  }

  /** Counts the lookup of consents by a Data User on every live record of a meter point, before it is answered. */
  async countShownConsents(mpxn: string, duid: string): Promise<void> {
    await this.database.pool.query({ ...SHOW_CONSENTS, values: [this.indexes.mpxn(mpxn), duid] });
  }

  /** What the same request was answered before, if it was made before. */
  recallKept(request: IdempotentRequest): Promise<RegisteredIdentityRecord | undefined> {
    return request.recallKept<RegisteredIdentityRecord>(this.database.reads);
  }

  /** Registers a record, with the enrolment that it initiates, or tells what the same request was answered before. */
  async register(
    duid: string,
    record: NewIdentityRecord,
    request: IdempotentRequest,
    enrol?: Enrol,
    contacts?: Pick<ContactNotes, 'recordAdded'>,
  ): Promise<RegisteredIdentityRecord & { readonly replayed: boolean }> {
    const id = randomUUID();
    const enrolment = await enrol?.(id);
    const ir = newIdentifier('ir');
    const answer: RegisteredIdentityRecord = { ir, passkeyRegistrationRedirect: enrolment?.redirectUrl ?? null };
    const values = [...request.claim(answer), ...this.columns(id, ir, duid, record)];
    const isNew = await inTransaction(this.database.pool, async (session) => {
      if (!(await isInserted(session, values))) return false;
      await enrolment?.store(session);
      await this.afterwards(session, { id, duid, ...record }, contacts);
      return true;
    });
    if (isNew) return { ...answer, replayed: false };
    return { ...(await request.recall<RegisteredIdentityRecord>(this.database.pool)), replayed: true };
  }

  /** What hangs on a new record, in its transaction; nobody else adds one at the meter point meanwhile. */
  private async afterwards(
    session: Session,
    { id: recordId, duid, piiPrincipal, principalVerification, email }: NewIdentityRecord & AddedBy,
    contacts?: Pick<ContactNotes, 'recordAdded'>,
  ): Promise<void> {
    const { mpxn, moveInDate } = piiPrincipal;
    const mpxnIndex = this.indexes.mpxn(mpxn);
    await lockMeterPoint(session, mpxnIndex);
    await keepWithinLimit(session, this.vault, { mpxnIndex, duid, moveInDate });
    const [isVerified, hasEmail] = [principalVerification?.outcome === 'verified', email !== null];
    await contacts?.recordAdded(session, { recordId, duid, mpxnIndex, moveInDate, isVerified, hasEmail });
  }

  /** Parameters $6 to $16 of {@link REGISTER_RECORD}. */
  private columns(id: string, ir: string, duid: string, { expressedBy, ...record }: NewIdentityRecord): unknown[] {
    const personal = personalDataOf(record);
    const { mpxn } = personal.piiPrincipal;
    const { sealed, wrappedKey } = this.vault.seal(id, personal);
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
    return new StoredIdentityRecord(row, this.vault);
  }
}

async function isInserted(session: Session, values: unknown[]): Promise<boolean> {
  return (await session.query({ ...REGISTER_RECORD, values })).rowCount === 1;
}

function personalDataOf({ piiPrincipal, principalVerification, email }: PersonalData): PersonalData {
  return { piiPrincipal, principalVerification, email: email === null ? null : email.trim() };
}
