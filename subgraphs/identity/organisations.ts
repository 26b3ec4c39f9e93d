import { type QuestionOrigin, askSubgraph } from '../server/service-question';
import type { SubgraphLink } from '../server/subgraph-link';

/** What pages and mails must know of the organisation that initiated something. */
export interface Organisation {
  readonly displayName: string;
  /** Whether its account is in good standing. */
  readonly isActive: boolean;
  /** Where customers may be sent back, each in full. */
  readonly returnUrls: readonly string[];
}

/** Organisations, as their accounts call them: asked of `access` each time. */
export interface Organisations {
  /** The organisation of a DUID; undefined when there is none. */
  of(duid: string, origin: QuestionOrigin): Promise<Organisation | undefined>;
}

const ORGANISATIONS = `query Organisations($duids: [DUID!]!) {
  organisations(duids: $duids) { displayName status returnUrls }
}`;

/** The way to organisations through `access`. */
export function organisations(access: SubgraphLink): Organisations {
  return {
    async of(duid, origin) {
      type Answer = { organisations: ({ displayName: string; status: string; returnUrls: string[] } | null)[] };
      const { organisations: found } = await askSubgraph<Answer>(
        access,
        'identity',
        ORGANISATIONS,
        { duids: [duid] },
        origin,
      );
      const [organisation] = found;
      if (!organisation) return undefined;
      const { displayName, status, returnUrls } = organisation;
      return { displayName, isActive: status === 'active', returnUrls };
    },
  };
}
