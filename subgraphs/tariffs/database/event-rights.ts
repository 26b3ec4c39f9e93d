import { deliveryRights } from '../../delivery/tables';

/**
 * What the login of `tariffs` may do with consents, webhooks, events and effects: a consent is revoked, an effect done or cancelled, an
 * event only added. Nothing is deleted but signing secrets that sign nothing any more.
 */
export const eventRights = (role: string): string => `
  grant select, insert on tariff_consent, consent_meter_point, webhook, webhook_secret, tariff_effect, tariff_standing to ${role};
  grant update (revoked_at, revoked_by) on tariff_consent to ${role};
  grant update (covered_at) on consent_meter_point to ${role};
  grant update (callback_sealed, replaced_at, deleted_at) on webhook to ${role};
  grant update (replaced_at), delete on webhook_secret to ${role};
  grant select on event to ${role};
  grant insert (type, occurred_at, mpid, mpxn_hash, tariff_id, consent_id) on event to ${role};
  grant update (reached, turn_at, faults, done_at, cancelled_at) on tariff_effect to ${role};
  grant update (tariff_id, mpid, as_of) on tariff_standing to ${role};
  ${deliveryRights(role)}`;
