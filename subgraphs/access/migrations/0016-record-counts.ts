import { ForwardMigration } from '../../server/database/forward-migration';

/** Counts of access records by Data User, state and legal basis, so that lists do not count their rows. */
export class RecordCounts1790000000016 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', COUNTS, LEGAL_BASIS_CHANGES];
}

/**
 * `record_count` counts the records as every transaction below the position has left them: transaction id `tx` in the epoch `era` of the
 * event log, in which every change of a state has its event. Epoch 0, which no event has, means that nothing is counted yet.
 */
const COUNTS = `
  create table record_count (
    duid text,
    state text not null,
    legal_basis text,
    total bigint not null,
    unique nulls not distinct (duid, state, legal_basis)
  );
  create table record_count_position (
    is_only boolean primary key default true check (is_only),
    era bigint not null,
    tx xid8 not null
  );
  insert into record_count_position (era, tx) values (0, '0')`;

/** A replacement that changes the legal basis of an ACTIVE record writes no event, but a row here until the counts contain it. */
const LEGAL_BASIS_CHANGES = `
  create table legal_basis_change (
    era bigint not null default event_era(),
    tx xid8 not null default pg_current_xact_id(),
    duid text,
    from_basis text,
    to_basis text
  );
  create index legal_basis_change_order on legal_basis_change (era, tx);
  create function note_legal_basis_change() returns trigger language plpgsql security definer set search_path = access, register, pg_temp as $$
    begin
      insert into legal_basis_change (duid, from_basis, to_basis) values (new.duid, old.legal_basis, new.legal_basis);
      return null;
    end $$;
  create trigger legal_basis_change after update of legal_basis on access_record for each row
    when (new.legal_basis is distinct from old.legal_basis) execute function note_legal_basis_change()`;
