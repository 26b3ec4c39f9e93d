import { deliveryRights } from '../delivery/tables.sql';
import { AUDIT_COLUMNS } from '../server/audit/audit.repository';
import { occupancyKeyRights } from '../server/occupancy-keys';
import { TARIFF_OCCUPANCIES } from './occupancies/tariff-occupancies.sql';

/**
 * Grants the login of `tariffs` its rights. Entries, consents, webhooks and the ends of tariffs may be changed; versions, prices,
 * transitions, events and the audit only inserted; instants ahead of the clock are corrected. It may delete keys of occupancies, signing
 * secrets, and rows with a retention period.
 */
export const tariffRights = (role: string): string => `
  ${occupancyKeyRights(TARIFF_OCCUPANCIES, role)}
  grant select, insert on supplier, rti_user, entry_transition, tariff, tariff_rates, tariff_version, meter_point, occupancy_mpxn, tariff_step,
    performance_report to ${role};
  grant update (name, display_name, status, support, api_url, oauth_url, issuer, audience, last_modified) on supplier to ${role};
  grant update (name, display_name, status, support, webhook_url, contact_sealed, last_modified) on rti_user to ${role};
  grant update (version, published_at, last_modified, valid_to, sellable_to) on tariff to ${role};
  grant update (published_at) on tariff_version to ${role};
  grant select, insert, update (unit_price, recorded_at, account_id) on tariff_price to ${role};
  grant update (withdrawn_at, recorded_at) on tariff_step to ${role};
  grant update (mpxn_sealed) on meter_point to ${role};
  grant update (key_id, mpxn_sealed) on occupancy_mpxn to ${role};
  grant update (total_requests, notifications_issued, availability_pct, success_pct, p50, p95, p99, received_at)
    on performance_report to ${role};
  grant select, insert (${AUDIT_COLUMNS}) on audit_entry to ${role};
  grant select, insert, update, delete on rate_limit to ${role};
  grant select, insert on tariff_consent, consent_meter_point, webhook, webhook_secret, tariff_effect, tariff_standing to ${role};
  grant update (revoked_at, revoked_by) on tariff_consent to ${role};
  grant update (added_at, covered_at, former_coverage) on consent_meter_point to ${role};
  grant update (callback_sealed, replaced_at, deleted_at) on webhook to ${role};
  grant update (replaced_at), delete on webhook_secret to ${role};
  grant select on event to ${role};
  grant insert (type, occurred_at, mpid, mpxn_hash, tariff_id, consent_id, ceased_at) on event to ${role};
  grant update (occurred_at, ceased_at) on event to ${role};
  grant update (due_at, reached, turn_at, faults, done_at, cancelled_at), delete on tariff_effect to ${role};
  grant update (tariff_id, mpid, as_of, ceased_at) on tariff_standing to ${role};
  ${deliveryRights(role)}`;
