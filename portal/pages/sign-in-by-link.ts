import { type Entry, namesSomebody } from '../request/entry';
import type { Page, Visit } from '../page';
import { LINK_EXPIRED } from '../request/problems';
import { isRefusal } from '../../web/register-refusal';
import { refusedEntry } from './entry';
import { type SignInAnswer, signedIn } from './signed-in';

/** Asks for a mailed link. The answer is the same whether anybody is known by what was entered or not. */
export const linkRequest: Page = {
  method: 'POST',
  path: '/sign-in/link',
  place: 'portal',
  formOn: '/sign-in',
  async answer(visit) {
    const entry = visit.sealed.read<Entry>('entry') ?? {};
    if (!namesSomebody(entry)) return { seeOther: '/' };
    try {
      await visit.ask('RequestSignInLink', { entry, language: visit.language.toUpperCase() });
      return { seeOther: '/sign-in/link-sent' };
    } catch (error) {
      return refusedEntry(visit, entry, error);
    }
  },
};

/** Says what to do now. */
export const linkSentPage: Page = {
  method: 'GET',
  path: '/sign-in/link-sent',
  place: 'portal',
  answer: () => ({ view: 'link-sent' }),
};

/** What a mailed link opens: one form with one button. Programs that follow links of mails press no buttons. */
export const linkPage: Page = {
  method: 'GET',
  path: '/sign-in/link/:secret',
  place: 'portal',
  async answer({ ask, values }: Visit) {
    const { link } = await ask<{ link: object | null }>('ReadSignInLink', { secret: values['secret'] });
    return link ? { view: 'link-opened' } : LINK_EXPIRED;
  },
};

/** The button signs in this browser; the one that asked for the link is never signed in by it. */
export const linkForm: Page = {
  method: 'POST',
  path: '/sign-in/link/:secret',
  place: 'portal',
  async answer(visit) {
    try {
      const { signIn } = await visit.ask<SignInAnswer>('SignInWithLink', { secret: visit.values['secret'] });
      return await signedIn(visit, signIn.token);
    } catch (error) {
      if (isRefusal(error, 'NTF001', 'AUT001')) return LINK_EXPIRED;
      throw error;
    }
  },
};
