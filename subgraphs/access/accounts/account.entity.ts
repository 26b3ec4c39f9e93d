import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { AccountRole } from '../../../schema/roles';
import type { DataType } from '../records/access-record';
import type { AccountStatus } from './account';

/** An account and its directory entry. */
@Entity('account')
export class AccountEntity {
  @PrimaryColumn({ type: 'text', name: 'account_id' }) accountId: string;
  @Column({ type: 'text' }) role: AccountRole;
  @Column({ type: 'text', name: 'display_name' }) displayName: string;
  @Column({ type: 'text' }) status: AccountStatus;
  @Column({ type: 'timestamptz', name: 'registered_at', insert: false }) registeredAt: Date;
  @Column({ type: 'timestamptz', name: 'suspended_at', nullable: true }) suspendedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'verification_withdrawn_at', nullable: true, insert: false })
  verificationWithdrawnAt: Date | null;
  @Column({ type: 'text', nullable: true }) duid: string | null;
  @Column({ type: 'text', nullable: true }) mpid: string | null;
  @Column({ type: 'text', name: 'contact_url', nullable: true }) contactUrl: string | null;
  @Column({ type: 'text', name: 'privacy_url', nullable: true }) privacyUrl: string | null;
  @Column({ type: 'text', array: true, name: 'data_types_supported' }) dataTypesSupported: DataType[];
  @Column({ type: 'text', name: 'organisation_reference', nullable: true }) organisationReference: string | null;
  @Column({ type: 'text', array: true, name: 'return_urls' }) returnUrls: string[];
  @Column({ type: 'text', name: 'oauth_issuer', nullable: true }) oauthIssuer: string | null;
  @Column({ type: 'text', name: 'oauth_client_id', nullable: true }) oauthClientId: string | null;
  @Column({ type: 'bytea', name: 'oauth_client_secret', nullable: true, select: false })
  oauthClientSecret?: Buffer | null;
}

/** A secret of an account, stored as a keyed hash. */
@Entity('account_secret')
export class AccountSecretEntity {
  @PrimaryGeneratedColumn('uuid') id: string;
  @Column({ type: 'text', name: 'account_id' }) accountId: string;
  @Column({ type: 'text' }) kind: 'sign-in' | 'supplier-api';
  @Column({ type: 'bytea', name: 'secret_hash' }) secretHash: Buffer;
  @Column({ type: 'timestamptz', name: 'valid_until', nullable: true }) validUntil: Date | null;
}

/** An entry of the audit: actor, action, subject and details without secrets. */
@Entity('audit_entry')
export class AuditEntryEntity {
  @PrimaryGeneratedColumn({ type: 'bigint' }) id: string;
  @Column({ type: 'timestamptz', insert: false }) at: Date;
  @Column({ type: 'text' }) actor: string;
  @Column({ type: 'text' }) action: string;
  @Column({ type: 'text' }) subject: string;
  @Column({ type: 'jsonb' }) detail: Record<string, unknown>;
}

/** The TypeORM entities of `access`. */
export const accessEntities = [AccountEntity, AccountSecretEntity, AuditEntryEntity];
