import type { Answer, Page, View, Visit } from '../page';
import { accessOf, nameOf } from '../presentation/access-list';
import { dayInWords } from '../presentation/dates';
import { endOf, endedBy } from '../presentation/history';
import { returnLink } from '../presentation/web-link';
import { RegisterRefusal, isRefusal } from '../../web/register-refusal';
import type { RecordOfCustomer } from './customer-records';

/** States what a withdrawal does: one form with one button. What cannot be withdrawn says why. */
export const withdrawPage: Page = {
  method: 'GET',
  path: '/access/:id/withdraw',
  place: 'portal',
  async answer(visit) {
    const found = await recordOf(visit);
    const { access, ended } = shown(found, visit);
    if (access.canBeWithdrawn) return view('withdraw', found, visit);
    if (access.seen) return view('not-registered', found, visit);
    return view(ended === undefined ? 'not-consent' : 'already-ended', found, visit);
  },
};

/** Withdraws: the record is REVOKED in the register before this answers. No reason is asked for. */
export const withdrawForm: Page = {
  method: 'POST',
  path: '/access/:id/withdraw',
  place: 'portal',
  async answer({ askAsCustomer, values }): Promise<Answer> {
    const id = values['id'] ?? '';
    const path = `/access/${encodeURIComponent(id)}`;
    try {
      await askAsCustomer('WithdrawConsent', { id });
      return { seeOther: `${path}/withdrawn` };
    } catch (error) {
      if (isRefusal(error, 'CNF001')) return { seeOther: `${path}/withdraw` };
      throw error;
    }
  },
};

/** Says that it is done, with the way back to where the customer came from. */
export const withdrawnPage: Page = {
  method: 'GET',
  path: '/access/:id/withdrawn',
  place: 'portal',
  async answer(visit) {
    const found = await recordOf(visit);
    if (endedBy(found.record) === 'withdrawn') return view('withdrawn', found, visit, 'withdrawn');
    return { seeOther: `/access/${encodeURIComponent(found.record.id)}/withdraw` };
  },
};

type Found = RecordOfCustomer & { readonly record: NonNullable<RecordOfCustomer['record']> };

async function recordOf({ askAsCustomer, values }: Visit): Promise<Found> {
  const { session, record } = await askAsCustomer<RecordOfCustomer>('ReadCustomerRecord', { id: values['id'] });
  if (!record) throw new RegisterRefusal('NTF001');
  return { session, record };
}

function shown({ record }: Found, { language }: Visit) {
  const end = endOf(record);
  return {
    access: accessOf(record, language),
    name: nameOf(record),
    ended: end === null ? undefined : dayInWords(end, language),
  };
}

function view(name: string, found: Found, visit: Visit, action?: 'withdrawn'): View {
  return {
    view: name,
    model: { ...shown(found, visit), returnLink: returnLink(found.session.returnUrl, action) },
  };
}
