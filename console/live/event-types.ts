/** Types of events, as webhooks and the register's own log name them (2-decisions-a-b.md, section 6), with what they tell. */
export const EVENT_TYPES = [
  { name: 'ACCESS_REGISTERED', wire: 'access.registered', tells: 'A record was registered.' },
  { name: 'ACCESS_REVOKED', wire: 'access.revoked', tells: 'A Data User revoked a record.' },
  { name: 'ACCESS_EXPIRED', wire: 'access.expired', tells: 'A record passed its expiry.' },
  {
    name: 'ACCESS_DISCOVERED',
    wire: 'access.discovered',
    tells: 'The operator reported access that nobody registered.',
  },
  { name: 'ACCESS_CLAIMED', wire: 'access.claimed', tells: 'The organisation registered access that was discovered.' },
  { name: 'CONSENT_EXPIRING', wire: 'consent.expiring', tells: 'A consent ends soon.' },
  { name: 'CONSENT_WITHDRAWAL', wire: 'consent.withdrawal', tells: 'A customer withdrew consent.' },
  { name: 'TENANCY_CHANGE', wire: 'tenancy.change', tells: 'The occupier of a meter point changed.' },
  { name: 'WEBHOOK_TEST', wire: 'webhook.test', tells: 'A Data User tested a subscription.' },
] as const;

/** Name of a type in the graph. */
export type EventType = (typeof EVENT_TYPES)[number]['name'];

/** Whether a value names a type. */
export function isEventType(value: unknown): value is EventType {
  return EVENT_TYPES.some(({ name }) => name === value);
}

/** The type as webhooks name it; one that this console does not know yet is shown as the graph names it. */
export function wireType(type: string): string {
  return EVENT_TYPES.find(({ name }) => name === type)?.wire ?? type;
}
