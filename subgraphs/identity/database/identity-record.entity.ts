import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { ExpressedBy } from '../domain/identity-record';

/** The wrapped data key of an Identity Record, in a database schema of its own. */
@Entity({ schema: 'identity_keys', name: 'data_key' })
export class DataKeyEntity {
  @PrimaryColumn({ name: 'record_id', type: 'uuid' })
  recordId: string;

  @Column({ name: 'wrapped', type: 'bytea' })
  wrappedKey: Buffer;
}

/** An Identity Record as stored: nothing personal in clear. */
@Entity({ name: 'identity_record' })
export class IdentityRecordEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'ref', type: 'text' })
  ir: string;

  @Column({ type: 'text' })
  duid: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'mpxn_index', type: 'bytea', nullable: true })
  mpxnIndex: Buffer | null;

  @Column({ name: 'email_index', type: 'bytea', nullable: true })
  emailIndex: Buffer | null;

  @Column({ name: 'expressed_by', type: 'text' })
  expressedBy: ExpressedBy;

  @Column({ type: 'bytea' })
  sealed: Buffer;

  @Column({ name: 'anonymised_at', type: 'timestamptz', nullable: true })
  anonymisedAt: Date | null;

  @OneToOne(() => DataKeyEntity, { createForeignKeyConstraints: false, nullable: true })
  @JoinColumn({ name: 'id', referencedColumnName: 'recordId' })
  dataKey: DataKeyEntity | null;
}
