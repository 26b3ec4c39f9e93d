import { ForwardMigration } from '../../server/database/forward-migration';

/**
 * Source references of Changes of Tenancy are stored in `identity` only, under the key of the occupancy, which is destroyed with the data of
 * the customer. `access` stored them under its own key. All processes of the previous release have stopped (`CHANGELOG.md`).
 */
export class TenancyReferences1790000000021 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', REMOVE_REFERENCES];
}

/** Rewrites the table first: PostgreSQL leaves the values of a dropped column in its file. */
const REMOVE_REFERENCES = `
  alter table tenancy_change alter column source_reference_sealed drop not null,
    alter column source_reference_sealed type bytea using null::bytea;
  alter table tenancy_change drop column source_reference_sealed`;
