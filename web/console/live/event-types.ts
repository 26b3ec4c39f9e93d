/** Event types: name in GraphQL, name in webhooks (decisions A/B, 6), and description. */
export const EVENT_TYPES = [
  { name: 'ACCESS_REGISTERED', wire: 'access.registered', description: 'A record was registered.' },
  { name: 'ACCESS_REVOKED', wire: 'access.revoked', description: 'A Data User revoked a record.' },
  { name: 'ACCESS_EXPIRED', wire: 'access.expired', description: 'A record passed its expiry.' },
  {
    name: 'ACCESS_DISCOVERED',
    wire: 'access.discovered',
    description: 'The communications operator reported unregistered access.',
  },
  { name: 'ACCESS_CLAIMED', wire: 'access.claimed', description: 'An organisation registered its discovered access.' },
  { name: 'CONSENT_EXPIRING', wire: 'consent.expiring', description: 'A consent ends soon.' },
  { name: 'CONSENT_WITHDRAWAL', wire: 'consent.withdrawal', description: 'A customer withdrew consent.' },
  { name: 'TENANCY_CHANGE', wire: 'tenancy.change', description: 'The occupier of a meter point changed.' },
  { name: 'WEBHOOK_TEST', wire: 'webhook.test', description: 'A Data User tested a subscription.' },
] as const;

/** Name of a type in GraphQL. */
export type EventType = (typeof EVENT_TYPES)[number]['name'];

/** Returns whether a value is the name of a type. */
export function isEventType(value: unknown): value is EventType {
  return EVENT_TYPES.some(({ name }) => name === value);
}

/** Returns the name of a type in webhooks; for a type that this console does not contain, returns its GraphQL name. */
export function wireType(type: string): string {
  return EVENT_TYPES.find(({ name }) => name === type)?.wire ?? type;
}
