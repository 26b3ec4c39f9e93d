import { deliveryRights } from '../delivery/tables.sql';
import { AUDIT_COLUMNS } from '../server/audit/audit.repository';

/**
 * Grants of the login of `access`. It may delete only rows with a retention period. Versions, transitions, the audit and data keys of
 * references can only be added. It cannot write columns that the database sets.
 */
export const accessRights = (role: string): string => `
  grant select, insert on account to ${role};
  grant select, insert (account_id, kind, secret_hash) on account_secret to ${role};
  grant select, insert (${AUDIT_COLUMNS}) on audit_entry to ${role};
  grant update (status, suspended_at, display_name, contact_url, privacy_url, data_types_supported, organisation_reference,
    return_urls, oauth_issuer, oauth_client_id, oauth_client_secret, verification_withdrawn_at, token_series) on account to ${role};
  grant update (valid_until) on account_secret to ${role};
  grant select, insert, update, delete on rate_limit, idempotency_key to ${role};
  grant select on access_record, access_record_version, access_record_transition to ${role};
  grant insert (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, meter_point_id, state, legal_basis,
    registered_at, expiry, document, is_legacy, reference_sealed) on access_record to ${role};
  grant insert (record_id, version, account_id, legal_basis, registered_at, expiry, document, identity_record_id,
    reference_sealed) on access_record_version to ${role};
  grant insert (record_id, number, from_state, to_state, cause, reason, account_id) on access_record_transition to ${role};
  grant update (version, state, legal_basis, registered_at, expiry, revoked_at, document, identity_record_id, identity_record_ref,
    meter_point_id, reference_sealed) on access_record to ${role};
  grant usage on schema access_keys to ${role};
  grant select, insert on access_keys.reference_key to ${role};
  grant select, delete on consumed_token, portal_alias, look to ${role};
  grant insert (token_hash, expires_at) on consumed_token to ${role};
  grant insert (alias_hash, record_id, account_id) on portal_alias to ${role};
  grant insert, update (count) on look to ${role};
  grant select on closed_identity_link, delayed_closing to ${role};
  grant insert (identity_record_id) on closed_identity_link to ${role};
  grant insert (identity_record_id) on delayed_closing to ${role};
  grant update (claimed_at, superseded_by) on access_record to ${role};
  grant select on tenancy_change to ${role};
  grant update (record_ids) on event to ${role};
  grant insert (id, subject, effective_date, records_affected, duids) on tenancy_change to ${role};
  grant select on event to ${role};
  grant insert (type, occurred_at, duid, record_id, transition, webhook_id, change_id, record_ids, expiry, days_remaining) on event to ${role};
  grant select, insert on webhook, webhook_secret to ${role};
  grant update (callback_hash, callback_sealed, alert_email_sealed, notify_days_before, event_types, deleted_at, expiring_through)
    on webhook to ${role};
  grant update (replaced_at), delete on webhook_secret to ${role};
  grant select, insert, update on webhook_alert to ${role};
  grant select, insert, update, delete on pending_claim to ${role};
  grant select, insert, update, delete on record_count to ${role};
  grant select, update (era, tx) on record_count_position to ${role};
  grant select, delete on legal_basis_change to ${role};
  ${deliveryRights(role)}`;
