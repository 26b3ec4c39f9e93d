/** Types of events: those that webhooks deliver, and all other state transitions (specification, Events). */
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
