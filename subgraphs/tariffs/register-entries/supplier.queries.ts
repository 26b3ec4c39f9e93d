import type { EntryKind, RegisterEntryQueries } from './register-entry.queries';
import type { Supplier } from './supplier';

/** How suppliers are stored. */
export const SUPPLIER: EntryKind<Supplier> = {
  table: 'supplier',
  name: 'supplier',
  key: 'mpid',
  columns: {
    ...{ mpid: 'mpid', name: 'name', displayName: 'display_name', support: 'support' },
    ...{ apiUrl: 'api_url', oauthUrl: 'oauth_url', issuer: 'issuer', audience: 'audience' },
  },
  audited: ['name', 'displayName', 'apiUrl', 'oauthUrl', 'issuer', 'audience'],
  keptIfAbsent: ['issuer', 'audience'],
  notFound: 'NTF002',
  removed: 'The supplier was removed',
  conflicts: {
    supplier_issuer: { code: 'CNF001', path: ['issuer'], message: 'another supplier has this issuer and audience' },
    issuer_with_audience: {
      code: 'CNF001',
      path: ['issuer'],
      message: 'a concurrent call changed issuer and audience',
    },
  },
};

/** Reads the register of suppliers, by `mpid`. */
export type SupplierQueries = RegisterEntryQueries<Supplier>;
