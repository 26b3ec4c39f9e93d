import { RegisterError } from '../../schema/register-error';
import type { IdentityUrls } from '../../subgraphs/identity/dependencies';
import type { SubgraphLink } from '../../subgraphs/server/graph/subgraph-link';

/** Addresses of a register that runs only `identity`. */
export const urls: IdentityUrls = {
  portalUrl: 'http://localhost:4002',
  identityRedirectUrl: 'http://localhost:4002/identify',
  relyingPartyId: 'localhost',
  smtpUrl: undefined,
  mailFrom: 'no-reply@localhost',
};

/** Returns a link to a subgraph that does not run. */
export function absentSubgraph(name: string): SubgraphLink {
  return { name, execute: () => Promise.reject(new RegisterError('SYS002')) };
}

/** `access`, called for organisations and suppliers only: it returns the same name for each organisation, and no supplier. */
export const accessOfOrganisations: SubgraphLink = {
  name: 'access',
  execute: ({ query }) =>
    query.includes('organisations(')
      ? Promise.resolve({
          data: {
            organisations: [
              {
                displayName: 'Larkhill Insight Ltd',
                status: 'active',
                returnUrls: [],
                mayAssertVerified: true,
                tokenSeries: null,
              },
            ],
          },
        })
      : query.includes('supplierSignIns')
        ? Promise.resolve({ data: { supplierSignIns: [] } })
        : Promise.reject(new RegisterError('SYS002')),
};
