import { graphqlLanguage } from '../request/languages';
import type { SignInHint } from '../request/sign-in-hint';
import type { Page, PageContext } from '../page';
import { LINK_EXPIRED, withLink } from '../request/problems';
import { challenge, entryError } from './challenge';
import { rejectedHintView } from './entry';
import { signedIn } from './signed-in';

/**
 * Requests a sign-in link by mail. The response is the same whether or not the register finds a customer for the hint.
 */
export const linkRequest: Page = {
  method: 'POST',
  path: '/sign-in/link',
  site: 'portal',
  formPage: '/sign-in',
  async respond(context) {
    const hint = context.encryptedCookies.read<SignInHint>('entry') ?? {};
    const invalidEntry = entryError(context, '#link-title');
    if (invalidEntry) return challenge(context, invalidEntry);
    try {
      await context.execute('RequestSignInLink', { entry: hint, language: graphqlLanguage(context.language) });
      return { seeOther: '/sign-in/link-sent' };
    } catch (error) {
      return rejectedHintView(context, hint, error);
    }
  },
};

/**
 * The page after a link was requested: it explains how to use the mail, and the limit of mails. It is the same whether or
 * not a link was mailed.
 */
export const linkSentPage: Page = {
  method: 'GET',
  path: '/sign-in/link-sent',
  site: 'portal',
  respond: ({ mailLimit }) => ({ view: 'link-sent', model: { mailLimit } }),
};

/** The page of a mailed link: one form with one button, because mail scanners follow links but submit no forms. */
export const linkPage: Page = {
  method: 'GET',
  path: '/sign-in/link/:secret',
  site: 'portal',
  async respond({ execute, params }: PageContext) {
    const { link } = await execute('ReadSignInLink', { secret: params['secret'] ?? '' });
    return link ? { view: 'link-opened' } : LINK_EXPIRED;
  },
};

/** Signs in the browser that submits the form, never the browser that requested the link. */
export const linkForm: Page = {
  method: 'POST',
  path: '/sign-in/link/:secret',
  site: 'portal',
  respond: (context) =>
    withLink(async () => {
      const { signIn } = await context.execute('SignInWithLink', { secret: context.params['secret'] ?? '' });
      return signedIn(context, signIn.token);
    }),
};
