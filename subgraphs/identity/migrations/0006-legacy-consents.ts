import { ForwardMigration } from '../../server/database/forward-migration';

/** Identity Records of consents of Interface B that are not registered yet, and the look that showing consents is. */
export class LegacyConsents1790000000006 extends ForwardMigration {
  readonly statements = ['set local search_path = identity, register', PROVISIONAL, LOOKS];
}

/**
 * A table of its own, so that nobody who reads Identity Records sees one for which there may never be an access record. The data key lies
 * with the others. Such a record has no e-mail address, no passkey, and is not closing: it becomes an Identity Record or goes.
 */
const PROVISIONAL = `
  create table provisional_identity_record (
    id uuid primary key,
    ref text not null unique check (ref ~ '^ir_[0-9a-f]{24}$'),
    duid text not null check (duid ~ '^duid_[0-9a-f]{24}$'),
    since timestamptz not null default register_now(),
    mpxn_index bytea not null check (octet_length(mpxn_index) = 32),
    meter_point_id text not null,
    expressed_by text not null check (expressed_by in ('data-subject', 'authorised-representative')),
    form smallint not null,
    sealed bytea not null
  );
  create index provisional_identity_record_since on provisional_identity_record (since);
  alter table provisional_identity_record set (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0)`;

const LOOKS = `
  alter table identity_look drop constraint identity_look_kind_check,
    add constraint identity_look_kind_check check (kind in ('existence-check', 'reidentification', 'show-consents'))`;
