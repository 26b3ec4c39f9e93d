import { type Page, type PageContext, identity } from '../page';
import type { View } from '../../shared/page-response';
import type { Ceremony } from '../presentation/operation-results';
import { webLink } from '../presentation/web-link';
import { CONFIRMATION_USED, LINK_EXPIRED, withLink } from '../request/problems';
import { browserOf } from '../request/second-press';
import { afterCeremony } from './ceremony-outcome';

/** Returns the ceremony of a secret; null if the secret was used, has expired or never existed. */
export async function ceremonyOf({ execute, params }: PageContext): Promise<Ceremony | null> {
  const { ceremony } = await execute('ReadCeremony', { secret: params['secret'] ?? '' });
  return ceremony;
}

/** Fields of every page of a ceremony: the organisation, and the link back to it for a customer who does not continue. */
export function ceremonyModel({ organisation, cancelUrl }: Ceremony) {
  return { organisation, cancelLink: webLink(cancelUrl) };
}

/** The page of the link that is mailed for a re-identification, and its form. */
export const confirmationPages = linkPages('/link/:secret', 'CONFIRM_LINK', 'ceremony-confirm', CONFIRMATION_USED);

/** The page of the link that is mailed before a passkey is added, and its form. */
export const proofPages = linkPages('/proof/:secret', 'CONFIRM_PROOF', 'ceremony-proof', LINK_EXPIRED);

/**
 * Returns a page with one form, and its handler. Mail scanners follow links but submit no forms, so that they cannot
 * redeem the secret (decisions A/B, 4). The handler returns `rejected` if the register rejects the secret.
 */
function linkPages(path: string, kind: Ceremony['kind'], view: string, rejected: View): readonly Page[] {
  return [
    identity.get(path, async (context) => {
      const ceremony = await ceremonyOf(context);
      if (ceremony?.kind !== kind) return LINK_EXPIRED;
      return { view, model: ceremonyModel(ceremony), formTargets: 'elsewhere' };
    }),
    identity.post(path, (context) =>
      withLink(async () => {
        const secret = context.params['secret'] ?? '';
        const { outcome } = await context.execute('ConfirmCeremonyLink', { secret, browser: browserOf(context) });
        return afterCeremony(context, outcome, 'confirmed');
      }, rejected),
    ),
  ];
}
