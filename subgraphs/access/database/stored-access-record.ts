import {
  type AccessRecordDocument,
  type AccessState,
  type LegalBasis,
  type StoredControllerArrangement,
} from '../domain/access-record';
import type { DiscoveredAccess } from '../domain/discovered-access';
import { isAccountable } from '../domain/controller-arrangement';
import { revokedAtNow, stateNow } from './record-state';

/** A row of `access_record` with its state at the instant of the statement. */
export interface AccessRecordRow {
  readonly id: string;
  readonly key_sealed: Buffer;
  /** Null of what the communications operator discovered. */
  readonly duid: string | null;
  readonly identity_record_id: string | null;
  readonly identity_record_ref: string | null;
  readonly version: number;
  readonly state: AccessState;
  readonly legal_basis: LegalBasis | null;
  readonly registered_at: Date;
  readonly expiry: Date | null;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
  readonly document: AccessRecordDocument;
}

const columns = (identityRecordRef: string): string => `
  id, key_sealed, duid, identity_record_id, ${identityRecordRef}, version, ${stateNow()} as state,
  legal_basis, registered_at, expiry, created_at, ${revokedAtNow()} as revoked_at, document`;

/** Columns of {@link AccessRecordRow} in a statement over `access_record`. */
export const ACCESS_RECORD_COLUMNS = columns('identity_record_ref');

/** The same for those who must not learn the key of an Identity Record: customers and third-party portals. */
export const COLUMNS_WITHOUT_REFERENCE = columns('null::text as identity_record_ref');

/**
 * An access record as the graph reads it: the sections of the specification and the fields of the summary item are views of one
 * row. Its access key is known only when the caller gave it.
 */
export class StoredAccessRecord {
  /** Its access key once it was decrypted, which costs 8 µs. */
  openedKey: string | undefined;

  constructor(
    readonly row: AccessRecordRow,
    /** What the caller knows it by: the access key by which the caller found it, or the alias of a portal. */
    readonly givenKey: string | null = null,
    /** Whether it is the record of a customer who asks for it, who may read what became of it. */
    readonly isCustomers = false,
  ) {}

  /** The record without that by which records of one person could be joined (2-decisions-a-b.md, section 1, Roles). */
  forBackOffice(): StoredAccessRecord {
    const document = { ...this.row.document, controllerReference: null };
    return new StoredAccessRecord({ ...this.row, identity_record_ref: null, document });
  }

  get id(): string {
    return this.row.id;
  }
  get version(): number {
    return this.row.version;
  }
  get recordMetadata() {
    return {
      record: this,
      schemaVersion: this.row.document.schemaVersion,
      createdAt: this.row.created_at,
      controllerArrangement: this.controllerArrangement,
      identityRecordRef: this.row.identity_record_ref,
      duid: this.row.duid,
    };
  }
  get notice() {
    return this.row.document.notice;
  }
  get processing() {
    const { purpose, dataTypes, dataSource, recipients } = this.row.document;
    return { legalBasis: this.row.legal_basis, purpose, dataTypes, jurisdiction: 'GB', dataSource, recipients };
  }
  get accessEvent() {
    const { state, registered_at: registeredAt, expiry, revoked_at: revokedAt, document } = this.row;
    const { controllerReference, consent } = document;
    return { state, registeredAt, expiry, controllerReference, consent, revokedAt };
  }
  get reidentificationToken(): null {
    return null; // only ever sent by a client, never kept in clear
  }
  get dataTypes() {
    return this.row.document.dataTypes;
  }
  get state() {
    return this.row.state;
  }
  get leadControllerName(): string | null {
    return this.controllerArrangement.controllers.find(isAccountable)?.name ?? null;
  }
  get arrangementType() {
    return this.controllerArrangement.arrangementType;
  }
  get controllerCount(): number {
    return this.controllerArrangement.controllers.length;
  }
  get legalBasis() {
    return this.row.legal_basis;
  }
  get purpose(): string | null {
    return this.row.document.purpose;
  }
  get registeredAt(): Date {
    return this.row.registered_at;
  }
  get expiry(): Date | null {
    return this.row.expiry;
  }
  get discoveredAccess(): DiscoveredAccess | null {
    return this.row.document.discoveredAccess ?? null;
  }

  private get controllerArrangement(): StoredControllerArrangement {
    return this.row.document.controllerArrangement;
  }
}
