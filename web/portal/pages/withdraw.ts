import type { Operations } from '../../../schema/generated/operations';
import type { View } from '../../shared/page-response';
import { type PageContext, portal } from '../page';
import { accessOf, nameOf } from '../presentation/access-list';
import { dayInWords } from '../presentation/dates';
import { endOf, endedBy } from '../presentation/history';
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
 * Withdraws consent: the record is REVOKED before the response is sent. The customer states no reason. A repeated withdrawal leads to the same
 * page as the first. A stale page of an access that has left the customer's scope withdraws nothing.
 */
export const withdrawForm = portal.post('/access/:id/withdraw', async ({ executeAsCustomer, params }) => {
  const id = params['id'] ?? '';
  try {
    await executeAsCustomer('WithdrawConsent', { id });
  } catch (error) {
    if (hasErrorCode(error, 'NTF001')) return NOT_WITHDRAWN;
    if (!hasErrorCode(error, 'CNF001')) throw error;
  }
  return { seeOther: `/access/${encodeURIComponent(id)}/withdrawn` };
});

/**
 * Confirms the withdrawal. If the consent was that of the organisation that sent the customer, this and all later links back to it report the
 * withdrawal. If the consent was not withdrawn, leads to the page that says why.
 */
export const withdrawnPage = portal.get('/access/:id/withdrawn', async (context) => {
  const found = await recordOf(context);
  if (endedBy(found.record) !== 'withdrawn')
    return { seeOther: `/access/${encodeURIComponent(found.record.id)}/withdraw` };
  if (!isWithdrawnFromSender(found)) return viewOf('withdrawn', found, context);
  context.cookies.write('withdrawn', 'yes');
  return viewOf('withdrawn', found, { ...context, returnLink: (url) => returnLink(url, 'withdrawn') });
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

/**
 * Returns whether the customer withdrew a consent of the Data User to whose return URL the session's links lead. No Data User learns from a link
 * that consent was withdrawn from another one.
 */
function isWithdrawnFromSender({ session, record }: Found): boolean {
  return endedBy(record) === 'withdrawn' && session.returnDuid !== null && record.dataUser?.duid === session.returnDuid;
}

function accessModel({ record }: Found, { language }: PageContext) {
  const end = endOf(record);
  return {
    access: accessOf(record, language),
    name: nameOf(record),
    ended: end === null ? undefined : dayInWords(end, language),
    endedBy: endedBy(record),
  };
}

function viewOf(name: string, found: Found, context: PageContext): View {
  return {
    view: name,
    model: { ...accessModel(found, context), returnLink: context.returnLink(found.session.returnUrl) },
  };
}
