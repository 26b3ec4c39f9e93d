import { ForwardMigration } from '../../server/database/forward-migration';

/** The right of a Data User to assert that it verified a customer's identity, which an admin can withdraw (decisions A/B, 11). */
export class VerificationRight1790000000009 extends ForwardMigration {
  readonly statements = ['set local search_path = access, register', RIGHT];
}

const RIGHT = `
  alter table account add column verification_withdrawn_at timestamptz,
    add constraint verification_of_data_users check (verification_withdrawn_at is null or role = 'data_user')`;
