import { type AccessState, type LegalBasis, isAccountable } from './access-record';
import { type AccessRecordDocument, type DiscoveredAccess, type StoredControllerArrangement } from './record-document';
import { type StoredReference } from './controller-references.queries';
import { revokedAtNow, stateNow } from './record-state.sql';

/** A row of `access_record` with its state at the instant of the statement; with its reference only if it is read by access key. */
export interface AccessRecordRow extends Partial<StoredReference> {
  readonly id: string;
  readonly version: number;
  readonly key_sealed: Buffer;
  /** Null for a discovered access. */
  readonly duid: string | null;
  readonly identity_record_id: string | null;
  readonly identity_record_ref: string | null;
  readonly state: AccessState;
  readonly legal_basis: LegalBasis | null;
  readonly registered_at: Date;
  readonly expiry: Date | null;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
  /** Whether it was registered through Interface B. */
  readonly is_legacy: boolean;
  readonly document: AccessRecordDocument;
}

const columns = (identityRecordRef: string, document = 'document'): string => `
  id, version, key_sealed, duid, identity_record_id, ${identityRecordRef}, ${stateNow()} as state,
  legal_basis, registered_at, expiry, created_at, ${revokedAtNow()} as revoked_at, is_legacy, ${document}`;

/** Columns of {@link AccessRecordRow} without its reference, in a statement over `access_record`. */
export const ACCESS_RECORD_COLUMNS = columns('identity_record_ref');

/** The Identity Record reference of a record that customers and third-party portals read. */
export const NO_REFERENCE = 'null::text as identity_record_ref';

/** Columns of a record without the Identity Record reference. */
export const COLUMNS_WITHOUT_REFERENCE = columns(NO_REFERENCE);

/** Columns of a record whose document is empty unless `condition` is true, or the access is a discovered one. */
export const COLUMNS_WITH_OPTIONAL_DOCUMENT = (condition: string, identityRecordRef = 'identity_record_ref'): string =>
  columns(identityRecordRef, `case when duid is null or ${condition} then document else '{}' end as document`);

/** Returns the row without the Controller's reference, which only the owning Data User and the customer read (decisions A/B, 1, Roles). */
export function withoutControllerReference(row: AccessRecordRow): AccessRecordRow {
  return { ...row, reference_sealed: null, document: { ...row.document, controllerReference: null } };
}

/** An access record as GraphQL reads it: sections of the specification and fields of the summary item are views of one row. */
export class StoredAccessRecord {
  /** The decrypted access key, cached because decryption costs 8 µs. */
  openedKey: string | undefined;

  constructor(
    readonly row: AccessRecordRow,
    /** The access key or portal alias with which the caller addressed the record. */
    readonly suppliedKey: string | null = null,
    /** The instant from which the caller reads the history as its customer; null for other callers. */
    readonly customerSince: Date | null = null,
  ) {}

  /** Returns the record without the fields by which records of one person could be joined (decisions A/B, 1, Roles). */
  forBackOffice(): StoredAccessRecord {
    return new StoredAccessRecord({ ...withoutControllerReference(this.row), identity_record_ref: null });
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
    return { record: this, state, registeredAt, expiry, consent: document.consent, revokedAt };
  }
  get reidentificationToken(): null {
    return null; // sent by clients only, never stored in clear
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
