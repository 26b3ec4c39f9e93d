import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { newIdentifier } from '../../../schema/identifiers';
import { CLOSED_IDENTITY_RECORD } from '../../../schema/closed-identity-record';
import { RegisterError } from '../../../schema/register-error';
import type { Actor } from '../../server/callers/caller';
import { DamagedRows } from '../../server/damaged-rows';
import type { Database } from '../../server/database/database';
import { type IdempotentRequest } from '../../server/idempotency';
import type { KeyedHash } from '../../server/keyed-hash';
import { encryptValue, decryptValue } from '../../server/encryption';
import { type AccessRecordInput, LEGAL_BASES, type RevocationReason, mayFollow } from './access-record';
import { changedBy } from '../accounts/active-account.queries';
import { documentOf } from './record-document';
import {
  type RedeemedToken,
  isLinkToClosed,
  isTokenRejected,
  rejectedToken,
} from '../identity-links/redeemed-token.repository';
import { type ControllerReferences, type StoredReference, referenceReader } from './controller-references.queries';
import { type AccessRecordRow, StoredAccessRecord } from './stored-access-record.queries';
import { BY_ID, BY_KEY, REPLACE, REVOKE, type RegisteringInterface, registrationStatement } from './access-record.sql';

/** Attestation by `identity` for the registration of a record. */
export interface IdentityLink {
  readonly id: string;
  readonly meterPointId: string;
  /** The Identity Record reference that the owner supplied; null for a link by re-identification, which must not disclose it. */
  readonly ref: string | null;
  /** The re-identification token that the registration redeems, if it links by one. */
  readonly token?: RedeemedToken;
}

/** Result of a registration: the access token for Data Providers, as it is stored for repeats. */
export interface StoredToken {
  readonly key: string;
  readonly expiry: string | null;
}

/** Returns the access token of a registration. */
export function tokenOf({ key, expiry }: StoredToken): { key: string; expiry: Date | null } {
  return { key, expiry: expiry === null ? null : new Date(expiry) };
}

/** Access records in the database: found by the keyed hash of their key, changed by one conditional statement each. */
export class AccessRecordRepository {
  private readonly byKeyHash: (hash: Buffer) => Promise<AccessRecordRow | undefined>;
  private readonly readReference: ReturnType<typeof referenceReader>;
  private readonly rowById: (id: string) => Promise<AccessRecordRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly hashOfKey: KeyedHash,
    private readonly encryptionKey: Buffer,
    private readonly references: ControllerReferences,
  ) {
    const hex = (hash: Buffer) => hash.toString('hex');
    type FoundRow = AccessRecordRow & StoredReference;
    this.byKeyHash = database.reads.byKey(BY_KEY, (row: FoundRow) => hex(row.key_hash), hex);
    this.readReference = referenceReader(database.reads, references);
    this.rowById = database.reads.byKey(BY_ID, (row: AccessRecordRow) => row.id, String);
  }

  /** Returns the record with an access key. This is the hot path of verification; the row is read after the call. */
  async byKey(key: string): Promise<StoredAccessRecord | null> {
    const row = await this.byKeyHash(this.hashOfKey(key));
    return row ? new StoredAccessRecord(row, key) : null;
  }

  /** Returns the record with an internal id. */
  async byId(id: string): Promise<StoredAccessRecord | null> {
    const row = await this.rowById(id);
    return row ? new StoredAccessRecord(row) : null;
  }

  /** Returns the access key of a record, for its owner. */
  keyOf(record: StoredAccessRecord): string {
    const { key_sealed, id } = record.row;
    return (record.openedKey ??= decryptValue(this.encryptionKey, key_sealed, id).toString('utf8'));
  }

  /** Returns the decrypted reference of a record; null without one, and after its key was destroyed. A list reads it only if selected. */
  referenceOf({ row }: StoredAccessRecord): Promise<string | null> | string | null {
    return this.readReference(row);
  }

  /**
   * Registers a record with its first version and transition, and redeems the token of its link, if there is one. Returns undefined if the
   * idempotency key was used before. Throws AUT001 if the account is no longer active, VAL009 if the token was redeemed or has expired,
   * CNF003 if the Identity Record is closed.
   */
  async register(
    actor: Actor,
    input: AccessRecordInput,
    link: IdentityLink,
    idempotent: IdempotentRequest,
    through: RegisteringInterface = 'A',
  ): Promise<StoredToken | undefined> {
    const id = randomUUID();
    const key = newIdentifier('ak');
    const keyHash = this.hashOfKey(key);
    const { expiry } = input.accessEvent;
    const token = { key, expiry: expiry?.toISOString() ?? null };
    const reference = this.references.encrypt(keyHash, input.accessEvent.controllerReference);
    const statement = {
      ...registrationStatement(link.token !== undefined, through),
      values: [
        ...idempotent.claim(token),
        id,
        keyHash,
        encryptValue(this.encryptionKey, key, id),
        actor.duid,
        link.id,
        link.ref,
        link.meterPointId,
        input.processing.legalBasis,
        input.accessEvent.registeredAt,
        expiry ?? null,
        documentOf(input),
        reference.sealed,
        reference.wrappedKey,
        ...(link.token ? [link.token.hash, link.token.expiresAt] : []),
      ],
    };
    const { rowCount } = await this.database.pool.query(statement).catch(rejectRegistration);
    return rowCount === 1 ? token : undefined;
  }

  /**
   * Replaces the content of an ACTIVE record. Returns undefined if no record met the conditions. Throws AUT001 if the account is no longer
   * active, CNF003 if the Identity Record was closed after the record expired.
   */
  async replace(actor: Actor, key: string, input: AccessRecordInput, ifVersions: number[] | null) {
    const { accessEvent, processing } = input;
    const reference = this.references.encrypt(this.hashOfKey(key), accessEvent.controllerReference);
    const values = [
      ...this.target(actor, key, ifVersions),
      processing.legalBasis,
      accessEvent.registeredAt,
      accessEvent.expiry ?? null,
      documentOf(input),
      reference.sealed,
      reference.wrappedKey,
      LEGAL_BASES.filter((former) => mayFollow(former, processing.legalBasis)),
    ];
    const statement = { ...REPLACE, values };
    const [row] = await changedBy<{ version: number; expiry: Date | null }>(
      actor.accountId,
      statement,
      this.database.pool,
    ).catch(rejectClosedRecord);
    return row;
  }

  /** Revokes an ACTIVE record and returns when; undefined if no record met the conditions, AUT001 if the account is no longer active. */
  async revoke(
    actor: Actor,
    key: string,
    reason: RevocationReason | null,
    ifVersions: number[] | null,
  ): Promise<Date | undefined> {
    const statement = { ...REVOKE, values: [...this.target(actor, key, ifVersions), reason] };
    const [row] = await changedBy<{ revoked_at: Date }>(actor.accountId, statement, this.database.pool);
    return row?.revoked_at;
  }

  private target(actor: Actor, key: string, ifVersions: number[] | null): unknown[] {
    return [this.hashOfKey(key), actor.duid, actor.accountId, ifVersions];
  }
}

/** Returns a function that leaves out of a list the records whose access key cannot be decrypted, and logs their ids. */
export function readableKeys(keys: Pick<AccessRecordRepository, 'keyOf'>, logger: Pick<Logger, 'error'>) {
  return (records: readonly StoredAccessRecord[]): readonly StoredAccessRecord[] => {
    const damaged = new DamagedRows(logger);
    const readable = damaged.readable(records, (record) => keys.keyOf(record));
    damaged.report('access records whose key cannot be decrypted are not listed');
    return readable.map(({ row }) => row);
  };
}

/** SQLSTATE of a registration whose account is not active. */
const FOREIGN_KEY_VIOLATION = '23503';

/**
 * Maps the database error of a rejected registration: AUT001 for an account that is not active, VAL009 for a token, CNF003 for a closed
 * Identity Record. The statement has no effect.
 */
function rejectRegistration(error: unknown): never {
  if ((error as { code?: unknown }).code === FOREIGN_KEY_VIOLATION) throw new RegisterError('AUT001');
  if (isTokenRejected(error)) throw rejectedToken();
  return rejectClosedRecord(error);
}

/** Throws CNF003 if the database rejected a statement because an Identity Record is closed; rethrows other errors. */
export function rejectClosedRecord(error: unknown): never {
  throw isLinkToClosed(error) ? new RegisterError('CNF003', CLOSED_IDENTITY_RECORD.either) : error;
}
