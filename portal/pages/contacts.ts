import type { Page, View, Visit } from '../page';
import { hasOtherPasskey, shownContacts } from '../presentation/contacts';
import type { CustomerContact, CustomerSession, SupplierSignIn } from '../presentation/register-answers';
import { returnLink } from '../presentation/web-link';
import { isRefusal } from '../../web/register-refusal';

interface Read {
  readonly session: CustomerSession & { readonly mayJudge: boolean };
  readonly contacts: readonly CustomerContact[];
}

interface Fault {
  readonly text: string;
  readonly href: string;
}

/** By which addresses and passkeys the register knows the customer of a home, and what to do when they stand against each other. */
export const contactsPage: Page = {
  method: 'GET',
  path: '/contacts',
  place: 'portal',
  answer: (visit) => contactsView(visit),
};

/** The same page, with what was wrong with a form of it. */
export async function contactsView(visit: Visit, fault?: Fault, status = 200): Promise<View> {
  const { session, contacts } = await visit.askAsCustomer<Read>('ReadCustomerContacts');
  const { suppliers } = await visit.ask<{ suppliers: readonly SupplierSignIn[] }>('ListSupplierSignIns');
  return {
    view: 'contacts',
    model: {
      session,
      contacts: shownContacts(contacts, session.mayJudge, visit.language),
      hasOtherPasskey: hasOtherPasskey(contacts, session.mayJudge),
      suppliers: session.isContested && !session.mayJudge ? suppliers : [],
      returnLink: returnLink(session.returnUrl),
      ...(fault ? { errors: [fault] } : {}),
    },
    status,
    formTargets: 'elsewhere',
  };
}

/** Whom the supplier proved says of a contact that it is theirs, or that it is not. */
export const verdictForm: Page = {
  method: 'POST',
  path: '/contacts/verdict',
  place: 'portal',
  formOn: '/contacts',
  async answer({ askAsCustomer, form }) {
    const verdict = form['verdict'] === 'CONFIRMED' ? 'CONFIRMED' : 'REJECTED';
    try {
      await askAsCustomer('JudgeContact', { contact: form['contact'] ?? '', verdict });
    } catch (error) {
      if (!isRefusal(error, 'NTF001', 'PRM003')) throw error; // it has changed since the page was shown
    }
    return { seeOther: '/contacts' };
  },
};

/** Sends the customer to their supplier. A customer whom the supplier proves may confirm and reject contacts. */
export const arbiterForm: Page = {
  method: 'POST',
  path: '/contacts/supplier',
  place: 'portal',
  formOn: '/contacts',
  async answer(visit) {
    const { ask, askAsCustomer, form, sealed, wording } = visit;
    const mpid = form['supplier'] ?? '';
    const missing = { text: wording('signIn.supplierMissing'), href: '#supplier' };
    if (mpid === '') return contactsView(visit, missing, 400);
    const { session } = await askAsCustomer<Read>('ReadCustomerContacts');
    try {
      const entry = { mpxn: session.mpxn };
      const { started } = await ask<{ started: { secret: string; url: string } }>('StartSupplierSignIn', {
        mpid,
        entry,
      });
      sealed.write('supplier', started.secret);
      return { seeOther: started.url };
    } catch (error) {
      if (isRefusal(error, 'NTF001')) return contactsView(visit, missing, 400);
      throw error;
    }
  },
};
