import type { Page, Visit } from '../page';
import type { Ceremony, CeremonyOutcome } from '../presentation/register-answers';
import { LINK_EXPIRED } from '../request/problems';
import { isRefusal } from '../../web/register-refusal';
import { afterCeremony } from './ceremony-outcome';

/** The ceremony of a secret; null when it was used, has expired or never was. */
export async function ceremonyOf({ ask, values }: Visit): Promise<Ceremony | null> {
  const { ceremony } = await ask<{ ceremony: Ceremony | null }>('ReadCeremony', { secret: values['secret'] });
  return ceremony;
}

/** What a link mailed for a re-identification opens, and its button. */
export const confirmationPages = linkPages('/link/:secret', 'CONFIRM_LINK', 'ceremony-confirm');

/** What a link mailed before a passkey is added opens, and its button. */
export const proofPages = linkPages('/proof/:secret', 'CONFIRM_PROOF', 'ceremony-proof');

/** One form with one button: programs that follow links of mails press none (2-decisions-a-b.md, section 4). */
function linkPages(path: string, kind: Ceremony['kind'], view: string): readonly Page[] {
  return [
    {
      method: 'GET',
      path,
      place: 'identity',
      async answer(visit) {
        const ceremony = await ceremonyOf(visit);
        if (ceremony?.kind !== kind) return LINK_EXPIRED;
        return { view, model: { organisation: ceremony.organisation }, formTargets: 'elsewhere' };
      },
    },
    {
      method: 'POST',
      path,
      place: 'identity',
      async answer(visit) {
        try {
          const secret = visit.values['secret'];
          const { outcome } = await visit.ask<{ outcome: CeremonyOutcome }>('ConfirmCeremonyLink', { secret });
          return afterCeremony(visit, outcome, 'confirmed');
        } catch (error) {
          if (isRefusal(error, 'NTF001', 'AUT001')) return LINK_EXPIRED;
          throw error;
        }
      },
    },
  ];
}
