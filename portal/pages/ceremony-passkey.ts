import type { Answer, Page, Visit } from '../page';
import type { Ceremony, CeremonyOutcome } from '../presentation/register-answers';
import { LINK_EXPIRED } from '../request/problems';
import { isRefusal } from '../../web/register-refusal';
import { ceremonyOf } from './ceremony-link';
import { afterCeremony } from './ceremony-outcome';
import { credentialOf } from './credential';

/** Where a Data User sends somebody to use a passkey, or to make one. */
export const passkeyCeremonyPage: Page = {
  method: 'GET',
  path: '/passkey/:secret',
  place: 'identity',
  answer: (visit) => ceremonyView(visit),
};

/** Options for the page's script, with a new challenge. */
export const passkeyCeremonyOptions: Page = {
  method: 'POST',
  path: '/passkey/:secret/options',
  place: 'identity',
  formOn: '/passkey/:secret',
  async answer({ ask, values, wording }) {
    try {
      const { started } = await ask<{ started: { kind: string; options: object } }>('StartPasskeyCeremony', {
        secret: values['secret'],
      });
      return { json: started };
    } catch (error) {
      if (isRefusal(error, 'REI001')) return { json: { error: wording('problem.passkeyRemoved.text') }, status: 422 };
      if (!isRefusal(error, 'NTF001', 'AUT001')) throw error;
      return { json: { error: wording('problem.linkExpired.title') }, status: 404 };
    }
  },
};

/** The authenticator's answer. */
export const passkeyCeremonyForm: Page = {
  method: 'POST',
  path: '/passkey/:secret',
  place: 'identity',
  async answer(visit) {
    const response = credentialOf(visit.form['credential']);
    if (response === undefined) return ceremonyView(visit, visit.wording('ceremony.refused'));
    const ceremony = await ceremonyOf(visit);
    try {
      const { outcome } = await visit.ask<{ outcome: CeremonyOutcome }>('FinishPasskeyCeremony', {
        secret: visit.values['secret'],
        response,
      });
      return afterCeremony(visit, outcome, ceremony?.kind === 'REGISTER_PASSKEY' ? 'registered' : 'confirmed');
    } catch (error) {
      if (isRefusal(error, 'NTF001')) return LINK_EXPIRED;
      if (isRefusal(error, 'AUT001')) return ceremonyView(visit, visit.wording('ceremony.refused'));
      throw error;
    }
  },
};

/** Has a link mailed, with which somebody proves who they are before a passkey is added. */
export const mailProofForm: Page = {
  method: 'POST',
  path: '/passkey/:secret/mail-proof',
  place: 'identity',
  formOn: '/passkey/:secret',
  async answer({ ask, values, language, places }) {
    const secret = values['secret'] ?? '';
    try {
      await ask('MailCeremonyProof', { secret, language: language.toUpperCase() });
      return { seeOther: `${places.identityPath}/passkey/${encodeURIComponent(secret)}/mail-sent` };
    } catch (error) {
      if (isRefusal(error, 'NTF001', 'AUT001')) return LINK_EXPIRED;
      throw error;
    }
  },
};

/** Says what to do now. */
export const mailSentPage: Page = {
  method: 'GET',
  path: '/passkey/:secret/mail-sent',
  place: 'identity',
  async answer(visit) {
    const ceremony = await ceremonyOf(visit);
    return ceremony ? { view: 'ceremony-mail-sent', model: { organisation: ceremony.organisation } } : LINK_EXPIRED;
  },
};

async function ceremonyView(visit: Visit, fault?: string): Promise<Answer> {
  const ceremony = await ceremonyOf(visit);
  if (!ceremony || (ceremony.kind !== 'ASSERT_PASSKEY' && ceremony.kind !== 'REGISTER_PASSKEY')) return LINK_EXPIRED;
  const path = `${visit.places.identityPath}/passkey/${encodeURIComponent(visit.values['secret'] ?? '')}`;
  return {
    view: viewOf(ceremony),
    model: {
      path,
      organisation: ceremony.organisation,
      proofs: ceremony.proofs,
      ...(fault === undefined ? {} : { errors: [{ text: fault, href: '#passkey' }] }),
    },
    status: fault === undefined ? 200 : 401,
    formTargets: 'elsewhere',
  };
}

function viewOf({ kind, proofs }: Ceremony): string {
  if (kind === 'ASSERT_PASSKEY') return 'ceremony-assert';
  return proofs.length > 0 ? 'ceremony-prove' : 'ceremony-register';
}
