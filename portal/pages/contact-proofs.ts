import type { Page } from '../page';
import { isRefusal } from '../../web/register-refusal';
import { contactsView } from './contacts';
import { credentialOf } from './credential';

/** Has a link mailed to another address of the home. */
export const contactMailForm: Page = {
  method: 'POST',
  path: '/contacts/mail',
  place: 'portal',
  formOn: '/contacts',
  async answer({ askAsCustomer, form, language }) {
    try {
      await askAsCustomer('MailContactLink', { contact: form['contact'] ?? '', language: language.toUpperCase() });
      return { seeOther: '/contacts/link-sent' };
    } catch (error) {
      if (isRefusal(error, 'NTF001', 'REI001')) return { seeOther: '/contacts' }; // it has changed since the page was shown
      throw error;
    }
  },
};

/** Says what to do now. */
export const contactMailSentPage: Page = {
  method: 'GET',
  path: '/contacts/link-sent',
  place: 'portal',
  answer: () => ({ view: 'contact-link-sent' }),
};

/** What a mailed link opens, in the browser that asked for it: one form with one button. In another browser the page says where to open it. */
export const contactLinkPage: Page = {
  method: 'GET',
  path: '/contacts/link/:secret',
  place: 'portal',
  async answer({ askAsCustomer, cookies, values }) {
    if (cookies.read('session') === undefined) return { view: 'contact-link-elsewhere' };
    const { link } = await askAsCustomer<{ link: object | null }>('ReadContactLink', { secret: values['secret'] });
    return { view: link ? 'contact-link' : 'contact-link-elsewhere' };
  },
};

/** The button proves the address, in the session that asked for the link. */
export const contactLinkForm: Page = {
  method: 'POST',
  path: '/contacts/link/:secret',
  place: 'portal',
  async answer({ askAsCustomer, values }) {
    try {
      await askAsCustomer('ProveContactByLink', { secret: values['secret'] });
      return { seeOther: '/contacts' };
    } catch (error) {
      if (isRefusal(error, 'NTF001')) return { view: 'contact-link-elsewhere' };
      throw error;
    }
  },
};

/** Options for the page's script; the secret stays with this browser. */
export const contactPasskeyOptions: Page = {
  method: 'POST',
  path: '/contacts/passkey/options',
  place: 'portal',
  formOn: '/contacts',
  async answer({ ask, sealed }) {
    const { started } = await ask<{ started: { secret: string; options: object } }>('StartPasskeySignIn');
    sealed.write('passkey', started.secret);
    return { json: { options: started.options } };
  },
};

/** The answer of a passkey of the home. */
export const contactPasskeyForm: Page = {
  method: 'POST',
  path: '/contacts/passkey',
  place: 'portal',
  formOn: '/contacts',
  async answer(visit) {
    const secret = visit.sealed.read<string>('passkey');
    const response = credentialOf(visit.form['credential']);
    visit.cookies.forget('passkey');
    const refused = { text: visit.wording('contacts.passkeyRefused'), href: '#passkey' };
    if (secret === undefined || response === undefined) return contactsView(visit, refused, 401);
    try {
      await visit.askAsCustomer('ProveContactByPasskey', { secret, response });
      return { seeOther: '/contacts' };
    } catch (error) {
      if (isRefusal(error, 'PRM003')) return contactsView(visit, refused, 401);
      throw error;
    }
  },
};
