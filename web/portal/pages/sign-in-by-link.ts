import { graphqlLanguage } from '../request/languages';
import type { SignInHint } from '../request/sign-in-hint';
import { portal } from '../page';
import { LINK_EXPIRED, withLink } from '../request/problems';
import { browserOf, keepLink } from '../request/second-press';
import { challenge, entryError } from './challenge';
import { rejectedHintView } from './entry';
import { signedIn } from './signed-in';

/**
 * Requests a sign-in link by mail. The response is the same whether or not the register finds a customer for the hint.
 */
export const linkRequest = portal.postFrom('/sign-in', '/sign-in/link', async (context) => {
  const hint = context.encryptedCookies.read<SignInHint>('entry') ?? {};
  const invalidEntry = entryError(context, '#link-title');
  if (invalidEntry) return challenge(context, invalidEntry);
  try {
    await context.execute('RequestSignInLink', { entry: hint, language: graphqlLanguage(context.language) });
    return { seeOther: '/sign-in/link-sent' };
  } catch (error) {
    return rejectedHintView(context, hint, error);
  }
});

/**
 * The page after a link was requested: it explains how to use the mail, and the limit of mails. It is the same whether or
 * not a link was mailed.
 */
export const linkSentPage = portal.get('/sign-in/link-sent', ({ mailLimit }) => ({
  view: 'link-sent',
  model: { mailLimit },
}));

/** The page of a mailed link: one form with one button, because mail scanners follow links but submit no forms. */
export const linkPage = portal.get('/sign-in/link/:secret', async ({ execute, params }) => {
  const { link } = await execute('ReadSignInLink', { secret: params['secret'] ?? '' });
  return link ? { view: 'link-opened' } : LINK_EXPIRED;
});

/** Signs in the browser that submits the form, never the browser that requested the link. A second press has the same result. */
export const linkForm = portal.post('/sign-in/link/:secret', (context) =>
  withLink(async () => {
    const secret = context.params['secret'] ?? '';
    const { signIn } = await context.execute('SignInWithLink', { secret, browser: browserOf(context) });
    keepLink(context, signIn.token);
    return signedIn(context, signIn.token);
  }),
);
