/** Roles of accounts (2-decisions-a-b.md, section 1). `customer` is a portal session, never an account. */
export const ACCOUNT_ROLES = [
  'data_user',
  'data_provider',
  'communications_operator',
  'portal',
  'supplier',
  'admin',
  'analyst',
] as const;

/** A role that an account can have. */
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

/** A role that a caller can have; `consumer` is the token of a supplier that acts for one of its consumers (3-decisions-c-d.md, D.1). */
export type Role = AccountRole | 'customer' | 'consumer';
