import { type PageResponse, type PageContext, identity } from '../page';
import type { CeremonyOutcome } from '../presentation/operation-results';
import { LINK_EXPIRED } from '../request/problems';

/** Result of a ceremony, for its last page. */
type CeremonyResult = 'confirmed' | 'registered';

/**
 * Redirects to the next step in this browser if the outcome contains a secret for it, else to the Data User, else to
 * the last page.
 */
export function afterCeremony(context: PageContext, outcome: CeremonyOutcome, result: CeremonyResult): PageResponse {
  const { encryptedCookies, publicUrls } = context;
  if (outcome.nextSecret !== null)
    return { seeOther: `${publicUrls.identityPath}/passkey/${encodeURIComponent(outcome.nextSecret)}` };
  if (outcome.returnUrl !== null) return { seeOther: outcome.returnUrl };
  encryptedCookies.write('ceremony', { organisation: outcome.organisation, result });
  return { seeOther: `${publicUrls.identityPath}/done` };
}

/** The last page of a ceremony whose Data User named no return URL. */
export const ceremonyDonePage = identity.get('/done', ({ encryptedCookies }) => {
  const done = encryptedCookies.read<{ organisation: string; result: CeremonyResult }>('ceremony');
  return done ? { view: 'ceremony-done', model: done } : LINK_EXPIRED;
});
