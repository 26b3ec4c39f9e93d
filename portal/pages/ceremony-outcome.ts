import type { Answer, Page, Visit } from '../page';
import type { CeremonyOutcome } from '../presentation/register-answers';
import { LINK_EXPIRED } from '../request/problems';

/** What a ceremony came to. */
export type CeremonyResult = 'confirmed' | 'registered';

/** Back to the Data User; or on in this browser, under the secret that only it got; or to a page that says that it is done. */
export function afterCeremony(visit: Visit, outcome: CeremonyOutcome, result: CeremonyResult): Answer {
  const { sealed, places } = visit;
  if (outcome.nextSecret !== null)
    return { seeOther: `${places.identityPath}/passkey/${encodeURIComponent(outcome.nextSecret)}` };
  if (outcome.returnUrl !== null) return { seeOther: outcome.returnUrl };
  sealed.write('ceremony', { organisation: outcome.organisation, result });
  return { seeOther: `${places.identityPath}/done` };
}

/** The end of a ceremony whose Data User named no address to go back to. */
export const ceremonyDonePage: Page = {
  method: 'GET',
  path: '/done',
  place: 'identity',
  answer({ sealed }) {
    const done = sealed.read<{ organisation: string; result: CeremonyResult }>('ceremony');
    return done ? { view: 'ceremony-done', model: done } : LINK_EXPIRED;
  },
};
