/**
 * What the login of `tariffs` may do with its tables: entries are corrected, tariffs and steps only added to. Versions, prices, transitions
 * and the sealed MPxNs are never changed, and nothing but what is kept for a time is deleted.
 */
export const tariffRights = (role: string): string => `
  grant select, insert on supplier, rti_user, entry_transition, tariff, tariff_rates, tariff_version, meter_point, tariff_step,
    performance_report to ${role};
  grant update (name, display_name, status, support, api_url, oauth_url, issuer, audience, last_modified) on supplier to ${role};
  grant update (name, display_name, status, support, webhook_url, contact_sealed, last_modified) on rti_user to ${role};
  grant update (version, last_modified) on tariff to ${role};
  grant update (withdrawn_at) on tariff_step to ${role};
  grant update (total_requests, notifications_issued, availability_pct, success_pct, p50, p95, p99, received_at)
    on performance_report to ${role};
  grant select, insert, update, delete on rate_limit to ${role};`;
