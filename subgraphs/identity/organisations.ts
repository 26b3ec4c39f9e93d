import { RegisterError } from '../../schema/register-error';
import { type QuestionOrigin, askSubgraph } from '../server/service-question';
import type { SubgraphLink } from '../server/subgraph-link';

/** What pages and mails must know of the organisation that initiated something. */
export interface Organisation {
  readonly displayName: string;
  /** Where customers may be sent back, each in full. */
  readonly returnUrls: readonly string[];
  /** Whether it may still assert that it verified a customer's identity. */
  readonly mayAssertVerified: boolean;
}

/** Organisations, as their accounts call them: asked of `access` each time. */
export interface Organisations {
  /** The organisation of a DUID that an account had: none is ever deleted, so it is there (SYS002 otherwise). */
  of(duid: string, origin: QuestionOrigin): Promise<Organisation>;
}

const ORGANISATIONS = `query Organisations($duids: [DUID!]!) {
  organisations(duids: $duids) { displayName returnUrls mayAssertVerified }
}`;

/** The way to organisations through `access`. */
export function organisations(access: SubgraphLink): Organisations {
  return {
    async of(duid, origin) {
      type Answer = { organisations: (Organisation | null)[] };
      const { organisations: found } = await askSubgraph<Answer>(
        access,
        'identity',
        ORGANISATIONS,
        { duids: [duid] },
        origin,
      );
      const [organisation] = found;
      if (!organisation) throw new RegisterError('SYS002');
      return organisation;
    },
  };
}
