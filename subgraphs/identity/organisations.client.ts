import { RegisterError } from '../../schema/register-error';
import { Organisations as OrganisationsByDuid } from '../../schema/generated/service-queries-to-access';
import { type CallOrigin, querySubgraph } from '../server/graph/service-query';
import type { SubgraphLink } from '../server/graph/subgraph-link';

/** An organisation, for pages and mails. */
export interface Organisation {
  readonly displayName: string;
  /** Status of its account. */
  readonly status: string;
  /** Complete URLs to which the register may redirect customers. */
  readonly returnUrls: readonly string[];
  /** Whether it may assert that it verified a customer's identity. */
  readonly mayAssertVerified: boolean;
  /** Series of the valid bearer tokens of its account; null before their first revocation. */
  readonly tokenSeries: string | null;
}

/** Organisations, queried from `access` at every call. */
export interface Organisations {
  /** Returns the organisation with a DUID; undefined if there is none. */
  find(duid: string, origin: CallOrigin): Promise<Organisation | undefined>;
  /** Returns the organisation of stored data. Organisations are never deleted, so a missing one is an internal error (SYS002). */
  of(duid: string, origin: CallOrigin): Promise<Organisation>;
}

/** Organisations by GraphQL, with the service account. */
export function organisations(access: SubgraphLink): Organisations {
  const find = async (duid: string, origin: CallOrigin) => {
    const found = await querySubgraph(access, 'identity', OrganisationsByDuid, { duids: [duid] }, origin);
    return found.organisations[0] ?? undefined;
  };
  return {
    find,
    async of(duid, origin) {
      const organisation = await find(duid, origin);
      if (!organisation) throw new RegisterError('SYS002');
      return organisation;
    },
  };
}
