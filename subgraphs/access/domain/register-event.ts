/** Events of the register: those that webhooks deliver, and every other state change (1-specification.md, Events). */
export const REGISTER_EVENT_TYPES = [
  'consent.expiring',
  'tenancy.change',
  'consent.withdrawal',
  'webhook.test',
  'access.registered',
  'access.revoked',
  'access.expired',
  'access.discovered',
  'access.claimed',
] as const;
export type RegisterEventType = (typeof REGISTER_EVENT_TYPES)[number];
