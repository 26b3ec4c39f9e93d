import { type ErrorCode, errorCatalogue } from '../../../schema/error-catalogue';
import { hasErrorCode } from '../../shared/operation-error';
import type { View } from '../../shared/page-response';
import { utcDayAndTime } from '../format';
import { type PageContext, get, post } from '../page';
import { textOf } from '../request/query';

const PATH = '/contests/rejections';

/** Lists rejections of asserted contacts with their progress, and the form of a new one, for admins. */
export const contactRejectionsPage = get(PATH, (context) =>
  listView(context, { duid: textOf(context.query['data-user']) ?? '', since: '' }),
);

/** Checks a rejection and shows its consequences; rejects the contacts once the admin has confirmed them. */
export const contactRejectionsForm = post(PATH, async (context) => {
  const { form } = context;
  const entered = { duid: (form['data-user'] ?? '').trim(), since: (form['since'] ?? '').trim() };
  const isConfirmed = form['confirmed'] === 'yes';
  try {
    const { rejection } = await context.executeAsAccount('RejectAssertedContacts', {
      duid: entered.duid,
      since: instantOf(entered.since),
      dryRun: !isConfirmed,
    });
    return isConfirmed ? { seeOther: PATH } : { view: 'confirm-contact-rejection', model: { entered, rejection } };
  } catch (error) {
    if (!hasErrorCode(error, 'VAL001', 'VAL003', 'NTF001', 'CNF001')) throw error;
    if (isConfirmed && error.code === 'CNF001' && (await isRepeated(context, entered))) return { seeOther: PATH };
    return listView(context, entered, error.code);
  }
});

/** Fields of the form, as entered; `since` is a time in UTC, empty for all contacts. */
interface Entered {
  readonly duid: string;
  readonly since: string;
}

/** Returns a local time of a browser, which omits seconds of zero, as an instant in UTC; null for none. */
function instantOf(time: string): string | null {
  return time === '' ? null : `${time}${/T\d\d:\d\d$/.test(time) ? ':00' : ''}Z`;
}

/** Returns whether this account has just requested the same rejection: a double click submits the form twice. */
async function isRepeated({ executeAsAccount, session }: PageContext, { duid, since }: Entered): Promise<boolean> {
  const { rejections } = await executeAsAccount('ReadContactRejections');
  const newest = rejections.find(({ dataUser }) => dataUser?.duid === duid);
  if (newest === undefined || newest.requestedBy !== session?.accountId) return false;
  const [accepted, requested] = [newest.since, instantOf(since)].map((time) => time && Date.parse(time));
  return accepted === requested;
}

const ERRORS: Partial<Record<ErrorCode, string>> = {
  VAL001: 'Check the identifier of the Data User and the time.',
  VAL003: 'The time is in the future.',
  NTF001: 'There is no Data User with this identifier.',
  CNF001: 'An earlier rejection of the contacts of this Data User is not finished.',
};

async function listView({ executeAsAccount }: PageContext, entered: Entered, code?: ErrorCode): Promise<View> {
  const { rejections } = await executeAsAccount('ReadContactRejections');
  const rows = rejections.map(({ since, requestedAt, finishedAt, ...rejection }) => ({
    ...rejection,
    since: since && utcDayAndTime(since),
    requestedAt: utcDayAndTime(requestedAt),
    finishedAt: finishedAt && utcDayAndTime(finishedAt),
  }));
  return {
    view: 'contact-rejections',
    model: { entered, rows, error: code && ERRORS[code] },
    ...(code === undefined ? {} : { status: errorCatalogue[code].status }),
  };
}
