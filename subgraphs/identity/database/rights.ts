/** What the login of `identity` may do with its tables: Identity Records are never deleted, and only their links can be dropped. */
export const identityRights = (role: string): string => `
  grant usage on schema identity_keys to ${role};
  grant select, insert on identity_record, identity_keys.data_key to ${role};
  grant update (mpxn_index, email_index, meter_point_id, anonymised_at) on identity_record to ${role};
  grant select, insert, update, delete on idempotency_key, rate_limit to ${role}`;
