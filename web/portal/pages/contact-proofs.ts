import { graphqlLanguage } from '../request/languages';
import { portal } from '../page';
import { hasErrorCode } from '../../shared/operation-error';
import { changedContactsView, contactsView } from './contacts';
import { passkeyProof, passkeyStart } from './credential';

/** Requests a link, mailed to another address of the home, that proves that the address is also the customer's. */
export const contactMailForm = portal.postFrom('/contacts', '/contacts/mail', async (context) => {
  try {
    await context.executeAsCustomer('MailContactLink', {
      contact: context.form['contact'] ?? '',
      language: graphqlLanguage(context.language),
    });
    return { seeOther: '/contacts/link-sent' };
  } catch (error) {
    if (hasErrorCode(error, 'NTF001', 'REI001')) return changedContactsView(context);
    throw error;
  }
});

/** The page after a link was mailed: it explains how to use the mail. */
export const contactMailSentPage = portal.get('/contacts/link-sent', () => ({ view: 'contact-link-sent' }));

/**
 * The page of a mailed link: one form with one button. In a browser without the session that requested the link, the
 * page says where to open it.
 */
export const contactLinkPage = portal.get('/contacts/link/:secret', async ({ executeAsCustomer, cookies, params }) => {
  if (cookies.read('session') === undefined) return { view: 'contact-link-elsewhere' };
  const { link } = await executeAsCustomer('ReadContactLink', { secret: params['secret'] ?? '' });
  return { view: link ? 'contact-link' : 'contact-link-elsewhere' };
});

/**
 * Proves the address, in the session that requested the link. A browser that received no response repeats the form: the list then shows
 * whether the first press proved the address.
 */
export const contactLinkForm = portal.post('/contacts/link/:secret', async (context) => {
  const { executeAsCustomer, params, translate } = context;
  try {
    await executeAsCustomer('ProveContactByLink', { secret: params['secret'] ?? '' });
    return { seeOther: '/contacts' };
  } catch (error) {
    const used = { text: translate('contacts.linkUsed'), href: '#main-content' };
    if (hasErrorCode(error, 'NTF001')) return contactsView(context, used, 404);
    throw error;
  }
});

/** Starts the proof of a passkey of the home, for the page's script. */
export const contactPasskeyOptions = passkeyStart('/contacts/passkey/options', '/contacts');

/**
 * Proves a passkey of the home with the response of the authenticator. A browser that received no response repeats the form: the list then shows
 * whether the first press proved the passkey.
 */
export const contactPasskeyForm = portal.postFrom('/contacts', '/contacts/passkey', async (context) => {
  const proof = passkeyProof(context);
  const rejected = { text: context.translate('contacts.passkeyRefused'), href: '#passkey' };
  if (proof === undefined) return contactsView(context, rejected, 401);
  try {
    await context.executeAsCustomer('ProveContactByPasskey', { ...proof });
    context.cookies.delete('passkey');
    return { seeOther: '/contacts' };
  } catch (error) {
    if (hasErrorCode(error, 'PRM003')) return contactsView(context, rejected, 401);
    throw error;
  }
});
