import { ForwardMigration } from '../../server/database/forward-migration';

/** Rejections of the contacts that a Data User asserted, by an admin (decisions A/B, 11). */
export class ContactRejections1790000000013 extends ForwardMigration {
  readonly statements = ['set local search_path = identity, register', REJECTIONS, ASSERTIONS];
}

/**
 * One row for each decision of an admin; `since` is null for all contacts. `reviewed_through` is the last reviewed Identity Record of the Data
 * User. The index finds the next one.
 */
const REJECTIONS = `
  create table contact_rejection (
    id uuid primary key default gen_random_uuid(),
    duid text not null,
    since timestamptz,
    requested_by text not null,
    requested_at timestamptz not null default register_now(),
    reviewed_through uuid not null default '00000000-0000-0000-0000-000000000000',
    records_reviewed integer not null default 0,
    contacts_rejected integer not null default 0,
    finished_at timestamptz
  );
  create index contact_rejection_of_data_user on contact_rejection (duid, requested_at);
  create unique index contact_rejection_unfinished on contact_rejection (duid) where finished_at is null;
  create index identity_record_to_review on identity_record (duid, id) where anonymised_at is null and is_verified is not false`;

/** A contact of an Identity Record that the register no longer believes the Data User of the record. */
const ASSERTIONS = `
  create table rejected_assertion (
    record_id uuid not null references identity_record,
    contact bytea not null,
    primary key (record_id, contact)
  )`;
