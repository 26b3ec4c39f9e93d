import { ForwardMigration } from '../../server/database/forward-migration';

/** Creates the table of the items of `dm:preconditions`. */
export class Preconditions1790000000002 extends ForwardMigration {
  readonly statements = ['set local search_path = grid_models, register', PRECONDITIONS];
}

/**
 * Statements that must hold in the base model, in the order of the file. `statements` has the form of `difference_item.statements`.
 * Versions that were published before this migration have no rows.
 */
const PRECONDITIONS = `
  create table model_precondition (
    model integer not null references difference_model (number) on delete cascade,
    number integer not null,
    mrid text not null,
    type text not null,
    is_object boolean not null,
    statements jsonb not null,
    primary key (model, number)
  );
  create trigger never_added after insert on model_precondition referencing new table as parts
    for each statement execute function guard_parts_of_models();
  create trigger never_removed after delete on model_precondition referencing old table as parts
    for each statement execute function guard_parts_of_models();
  create trigger never_changed before update on model_precondition for each row execute function refuse_change()`;
