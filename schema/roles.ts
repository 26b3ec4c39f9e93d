/** Roles of accounts (decisions A/B, 1). */
export const ACCOUNT_ROLES = [
  'data_user',
  'data_provider',
  'communications_operator',
  'portal',
  'supplier',
  'admin',
  'analyst',
] as const;

/** A role of an account. */
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

/**
 * A role of a caller. `customer`: session of the portal. `consumer`: token that a supplier issued for one of its consumers (decisions D.1).
 */
export type Role = AccountRole | 'customer' | 'consumer';
