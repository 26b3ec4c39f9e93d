import { graphqlLanguage } from '../request/languages';
import type { MailedProof } from '../request/cookies';
import { type PageResponse, type PageContext, identity } from '../page';
import type { Ceremony } from '../presentation/operation-results';
import { CEREMONY_USED, LINK_EXPIRED, withLink } from '../request/problems';
import { hasErrorCode } from '../../shared/operation-error';
import { ceremonyModel, ceremonyOf } from './ceremony-link';
import { afterCeremony } from './ceremony-outcome';
import { credentialOf } from './credential';

const PATH = '/passkey/:secret';

/** The page to which a Data User redirects a customer who is to use or register a passkey. */
export const passkeyCeremonyPage = identity.get(PATH, (context) => ceremonyView(context));

/** Returns WebAuthn options with a new challenge, for the page's script. */
export const passkeyCeremonyOptions = identity.postFrom(PATH, `${PATH}/options`, async (context) => {
  const { execute, params, translate } = context;
  try {
    const { started } = await execute('StartPasskeyCeremony', { secret: params['secret'] ?? '' });
    return { json: started };
  } catch (error) {
    if (hasErrorCode(error, 'REI001'))
      return { json: { error: translate('problem.passkeyRemoved.text') }, status: 422 };
    if (!hasErrorCode(error, 'NTF001', 'AUT001')) throw error;
    return { json: { error: translate('problem.linkExpired.title') }, status: 404 };
  }
});

/** Completes the ceremony with the authenticator's response. A browser that received no response repeats the form. */
export const passkeyCeremonyForm = identity.post(PATH, async (context) => {
  const response = credentialOf(context.form['credential']);
  if (response === undefined) return ceremonyView(context, context.translate('ceremony.refused'));
  const ceremony = await ceremonyOf(context);
  try {
    const { outcome } = await context.execute('FinishPasskeyCeremony', {
      secret: context.params['secret'] ?? '',
      response,
    });
    return afterCeremony(context, outcome, ceremony?.kind === 'REGISTER_PASSKEY' ? 'registered' : 'confirmed');
  } catch (error) {
    if (hasErrorCode(error, 'NTF001')) return CEREMONY_USED;
    if (hasErrorCode(error, 'AUT001')) return ceremonyView(context, context.translate('ceremony.refused'));
    throw error;
  }
});

/** Requests a link by mail, by which the customer proves their identity before a passkey is added. */
export const mailProofForm = identity.postFrom(PATH, `${PATH}/mail-proof`, (context) =>
  withLink(async () => {
    const { execute, params, language, translate, publicUrls, encryptedCookies } = context;
    const secret = params['secret'] ?? '';
    const ceremony = await ceremonyOf(context);
    if (!ceremony) return LINK_EXPIRED;
    try {
      await execute('MailCeremonyProof', { secret, language: graphqlLanguage(language) });
    } catch (error) {
      // the address was removed or rejected since the page was loaded
      if (hasErrorCode(error, 'REI001')) return ceremonyView(context, translate('ceremony.mailImpossible'), 422);
      throw error;
    }
    encryptedCookies.write('proof', { secret, organisation: ceremony.organisation } satisfies MailedProof);
    return { seeOther: `${publicUrls.identityPath}/passkey/${encodeURIComponent(secret)}/mail-sent` };
  }),
);

/** The page after a link was mailed: it explains how to use the mail, also after the redirect has expired. */
export const mailSentPage = identity.get(`${PATH}/mail-sent`, async (context) => {
  const mailed = context.encryptedCookies.read<MailedProof>('proof');
  const source = mailed?.secret === context.params['secret'] ? mailed : await ceremonyOf(context);
  return source ? { view: 'ceremony-mail-sent', model: { organisation: source.organisation } } : LINK_EXPIRED;
});

/** Returns the page of the ceremony, after a form with the reason for which the register rejected it. */
async function ceremonyView(context: PageContext, fault?: string, faultStatus = 401): Promise<PageResponse> {
  const ceremony = await ceremonyOf(context);
  if (ceremony?.kind !== 'ASSERT_PASSKEY' && ceremony?.kind !== 'REGISTER_PASSKEY')
    return fault === undefined ? LINK_EXPIRED : CEREMONY_USED;
  const path = `${context.publicUrls.identityPath}/passkey/${encodeURIComponent(context.params['secret'] ?? '')}`;
  return {
    view: viewOf(ceremony),
    model: {
      path,
      ...ceremonyModel(ceremony),
      proofs: ceremony.proofs,
      ...(fault === undefined ? {} : { errors: [{ text: fault, href: '#passkey' }] }),
    },
    status: fault === undefined ? 200 : faultStatus,
    formTargets: 'elsewhere',
  };
}

function viewOf({ kind, proofs }: Ceremony): string {
  if (kind === 'ASSERT_PASSKEY') return 'ceremony-assert';
  return proofs.length > 0 ? 'ceremony-prove' : 'ceremony-register';
}
