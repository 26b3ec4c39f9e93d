import type { Operations } from '../../../schema/generated/operations';
import type { View } from '../../shared/page-response';
import { type PageContext, portal } from '../page';
import { accessOf, nameOf } from '../presentation/access-list';
import { endedBy, lastDayOf } from '../presentation/history';
import { OperationError, hasErrorCode } from '../../shared/operation-error';
import { returnLink } from '../presentation/web-link';
import { NOT_WITHDRAWN } from '../request/problems';
import { withHistory } from './customer-records';
import type { CustomerRecord } from '../presentation/operation-results';

/**
 * States the effect of a withdrawal, with one form of one button. If the access cannot be withdrawn, the page says why.
 */
export const withdrawPage = portal.get('/access/:id/withdraw', async (context) => {
  const found = await recordOf(context);
  const { access, ended } = accessModel(found, context);
  if (access.canBeWithdrawn) return viewOf('withdraw', found, context);
  if (access.seen) return viewOf('not-registered', found, context);
  return viewOf(ended === undefined ? 'not-consent' : 'already-ended', found, context);
});

/**
 * Withdraws consent: the record is REVOKED before the response is sent. The customer states no reason. If the consent was that of the
 * organisation that sent the customer, the links back to it report the withdrawal from then on. A repeated withdrawal leads to the same page and
 * links as the first. A stale page of an access that has left the customer's scope withdraws nothing.
 */
export const withdrawForm = portal.post('/access/:id/withdraw', async (context) => {
  const id = context.params['id'] ?? '';
  try {
    const found = await recordOf(context); // read first: no failure of a read follows a withdrawal
    const isWithdrawn = (await withdraw(context, id)) || endedBy((await recordOf(context)).record) === 'withdrawn';
    if (isWithdrawn && isOfSender(found)) context.cookies.write('withdrawn', 'yes');
  } catch (error) {
    if (hasErrorCode(error, 'NTF001')) return NOT_WITHDRAWN;
    throw error;
  }
  return { seeOther: `/access/${encodeURIComponent(id)}/withdrawn` };
});

/** Withdraws the consent; false if the access had already ended. */
async function withdraw({ executeAsCustomer }: PageContext, id: string): Promise<boolean> {
  try {
    await executeAsCustomer('WithdrawConsent', { id });
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'CNF001')) return false;
    throw error;
  }
}

/** Confirms the withdrawal, with a return link that reports it. If the consent was not withdrawn, leads to the page that says why. */
export const withdrawnPage = portal.get('/access/:id/withdrawn', async (context) => {
  const found = await recordOf(context);
  if (endedBy(found.record) !== 'withdrawn')
    return { seeOther: `/access/${encodeURIComponent(found.record.id)}/withdraw` };
  const reporting: PageContext = { ...context, returnLink: (url) => returnLink(url, 'withdrawn') };
  return viewOf('withdrawn', found, isOfSender(found) ? reporting : context);
});

/** An access record in the customer's scope, and the session. */
interface Found {
  readonly session: Operations['ReadCustomerRecord']['result']['session'];
  readonly record: CustomerRecord;
}

async function recordOf({ executeAsCustomer, params }: PageContext): Promise<Found> {
  const { session, record } = await executeAsCustomer('ReadCustomerRecord', { id: params['id'] ?? '' });
  if (!record) throw new OperationError('NTF001');
  return { session, record: withHistory(record) };
}

/** Returns whether the record is one of the Data User to whose return URL the session's links lead: they report nothing about others. */
function isOfSender({ session, record }: Found): boolean {
  return session.returnDuid !== null && record.dataUser?.duid === session.returnDuid;
}

function accessModel({ record }: Found, { language }: PageContext) {
  return {
    access: accessOf(record, language),
    name: nameOf(record),
    ended: lastDayOf(record, language),
    endedBy: endedBy(record),
  };
}

function viewOf(name: string, found: Found, context: PageContext): View {
  return {
    view: name,
    model: { ...accessModel(found, context), returnLink: context.returnLink(found.session.returnUrl) },
  };
}
