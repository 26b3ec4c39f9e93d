import type { View } from '../../shared/page-response';
import { type PageContext, portal } from '../page';
import type { StartedSupplierSignIn } from '../request/cookies';
import { hasOtherPasskey, shownContacts } from '../presentation/contacts';
import { OperationError, hasErrorCode } from '../../shared/operation-error';
import { hiddenSupplier, withVisibleTarget } from './challenge';

interface FieldError {
  readonly text: string;
  readonly href: string;
}

const VERDICTS = ['CONFIRMED', 'REJECTED'] as const;

/** Lists the e-mail addresses and passkeys that are registered for the home, and what to do if they are contested. */
export const contactsPage = portal.get('/contacts', (context) => contactsView(context));

/** Returns the contacts page, with the error of a form if there is one. */
export async function contactsView(context: PageContext, error?: FieldError, status = 200): Promise<View> {
  const { session, contacts } = await context.executeAsCustomer('ReadCustomerContacts');
  const { suppliers } = await context.execute('ListSupplierSignIns');
  const shownSuppliers = session.isContested && !session.mayJudge ? suppliers : [];
  const canUsePasskey = hasOtherPasskey(contacts);
  const hidden = [...hiddenSupplier(shownSuppliers), ...(canUsePasskey ? [] : ['#passkey'])];
  return {
    view: 'contacts',
    model: {
      path: '/contacts',
      session,
      contacts: shownContacts(contacts, session.mayJudge, context),
      hasOtherPasskey: canUsePasskey,
      suppliers: shownSuppliers,
      returnLink: context.returnLink(session.returnUrl),
      ...(error ? { errors: [withVisibleTarget(error, hidden, '#main-content')] } : {}),
    },
    status,
    formTargets: 'elsewhere',
  };
}

/** Returns the contacts page after a form had no effect, because the contacts have changed since the page was loaded. */
export function changedContactsView(context: PageContext): Promise<View> {
  return contactsView(context, { text: context.translate('contacts.changed'), href: '#main-content' }, 409);
}

/** A customer whom the supplier proved confirms or rejects a contact. A form without one of the two verdicts judges nothing. */
export const verdictForm = portal.postFrom('/contacts', '/contacts/verdict', async (context) => {
  const { executeAsCustomer, form } = context;
  const verdict = VERDICTS.find((each) => each === form['verdict']);
  if (verdict === undefined) throw new OperationError('VAL003');
  try {
    await executeAsCustomer('JudgeContact', { contact: form['contact'] ?? '', verdict });
    return { seeOther: '/contacts' };
  } catch (error) {
    if (hasErrorCode(error, 'NTF001', 'PRM003')) return changedContactsView(context);
    throw error;
  }
});

/**
 * Redirects the customer to their supplier, because a customer whom the supplier proves may confirm and reject
 * contacts.
 */
export const supplierProofForm = portal.postFrom('/contacts', '/contacts/supplier', async (context) => {
  const { executeAsCustomer, form, encryptedCookies, translate } = context;
  const mpid = form['supplier'] ?? '';
  const missing = { text: translate('signIn.supplierMissing'), href: '#supplier' };
  if (mpid === '') return contactsView(context, missing, 400);
  const { session } = await executeAsCustomer('ReadCustomerContacts');
  try {
    const entry = { mpxn: session.mpxn };
    const { started } = await executeAsCustomer('StartSupplierSignIn', { mpid, entry });
    encryptedCookies.write('supplier', { secret: started.secret, isProof: true } satisfies StartedSupplierSignIn);
    return { seeOther: started.url };
  } catch (error) {
    if (hasErrorCode(error, 'NTF001')) return contactsView(context, missing, 400);
    throw error;
  }
});
