import { RegisterError } from '../../schema/register-error';
import type { IdentityPlaces } from '../../subgraphs/identity/foundation';
import type { SubgraphLink } from '../../subgraphs/server/subgraph-link';

/** Addresses of a register of which only `identity` runs. */
export const places: IdentityPlaces = {
  portalUrl: 'http://localhost:4002',
  identityRedirectUrl: 'http://localhost:4002/identify',
  relyingPartyId: 'localhost',
  smtpUrl: undefined,
  mailFrom: 'no-reply@localhost',
};

/** The way to a subgraph that does not run. */
export function absentSubgraph(name: string): SubgraphLink {
  return { name, execute: () => Promise.reject(new RegisterError('SYS002')) };
}

/** `access` of which nothing but organisations is asked: it knows each by the same name. */
export const accessOfOrganisations: SubgraphLink = {
  name: 'access',
  execute: ({ query }) =>
    query.includes('organisations(')
      ? Promise.resolve({
          data: { organisations: [{ displayName: 'Larkhill Insight Ltd', returnUrls: [], mayAssertVerified: true }] },
        })
      : Promise.reject(new RegisterError('SYS002')),
};
