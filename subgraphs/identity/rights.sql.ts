import { AUDIT_COLUMNS } from '../server/audit/audit.repository';
import { occupancyKeyRights } from '../server/occupancy-keys';
import { IDENTITY_OCCUPANCIES } from './occupancy/identity-occupancies.queries';

/** Grants of the login of `identity`. It never deletes Identity Records, only their data keys and rows with a retention period. */
export const identityRights = (role: string): string => `
  ${occupancyKeyRights(IDENTITY_OCCUPANCIES, role)}
  grant select, insert (${AUDIT_COLUMNS}) on audit_entry to ${role};
  grant usage on schema identity_keys to ${role};
  grant select, insert on identity_record, identity_keys.data_key to ${role};
  grant update (mpxn_index, email_index, meter_point_id, closing_at, closed_at, anonymised_at, is_verified) on identity_record to ${role};
  grant delete on identity_keys.data_key to ${role};
  grant select, insert, delete on provisional_identity_record to ${role};
  grant select on change_of_tenancy to ${role};
  grant insert (id, mpxn_index, effective_date, reference_hash, sealed, key_id) on change_of_tenancy to ${role};
  grant update (announced_at, records_affected, duids, sealed, key_id, recorded_at) on change_of_tenancy to ${role};
  grant select, insert, delete, update (id) on discovered_meter_point to ${role};
  grant select, insert, delete on passkey, passkey_regression, reidentification, ceremony, identity_look to ${role};
  grant update (credential_hash, sealed, sign_count, backed_up, removed_at) on passkey to ${role};
  grant update (open_until, confirmed_at) on reidentification to ${role};
  grant update (challenge, challenge_kind, used_at, proven_by) on ceremony to ${role};
  grant update (count) on identity_look to ${role};
  grant select, insert, update, delete on idempotency_key, rate_limit to ${role};
  grant select, insert, delete on customer_session, sign_in_link, sign_in_attempt to ${role};
  grant update (ended_at) on customer_session to ${role};
  grant update (used_at) on sign_in_link to ${role};
  grant select, insert, delete on contact_proof, contact_verdict, contact_contest, contact_link, contact_count to ${role};
  grant update (verdict, judged_at, mpid) on contact_verdict to ${role};
  grant select, insert on contact_rejection to ${role};
  grant update (reviewed_through, records_reviewed, contacts_rejected, finished_at) on contact_rejection to ${role};
  grant select, insert, delete on rejected_assertion to ${role};
  grant update (used_at) on contact_link to ${role};
  grant update (count) on contact_count to ${role}`;
