import { rateLimit } from '../../server/callers/rate-limits';
import { encryptValue } from '../../server/encryption';
import type { Session } from '../../server/database/transaction';
import { recipientOf } from './mail-recipient.repository';
import {
  type ContestNoticeMail,
  NOTICE_HOURS,
  type OutgoingMail,
  type SignInNoticeMail,
  recordIdsOf,
} from './outgoing-mail';
import type { Limits, RateLimitStore } from '../../server/callers/rate-limits';
import { type JobOptions, type JobQueue, MAX_RETRY_DELAY_SECONDS } from '../../server/jobs/jobs';
import type { IdentityKeys } from '../keys';

/** Mails to the persons of Identity Records. */
export interface Mails {
  /** Enqueues a mail; it is sent after the transaction of the session commits. */
  enqueue(session: Session, mail: OutgoingMail): Promise<void>;
  /**
   * Counts a mail to the person of a record, and to its address in the records of the same Data User: a limit that a Data User reaches with
   * own records does not show who else has the address. Counts in the transaction of a session, or by itself. `by` causes the mail, such as the
   * DUID of a Data User, or {@link ANONYMOUS}; each has its own limits. Returns null if the mail is allowed, else the seconds to wait.
   */
  permit(recordId: string, by: string, session?: Session): Promise<number | null>;
  /**
   * Counts a mail to each of several records like {@link Mails.permit}, in the transaction of a session. Returns the records to which a mail is
   * allowed; of those with one address, the first ones. Counts in one order, so that concurrent transactions do not deadlock.
   */
  permitEach(recordIds: readonly string[], by: string, session: Session): Promise<ReadonlySet<string>>;
  /**
   * Returns whether a notice of a sign-in may be sent now: once in 15 minutes for each address of a home, by whichever record it is reached,
   * and to an address in the records of one Data User as many as {@link Mails.permit} allows, at whichever homes. Otherwise adds a job for
   * the end of that time. A later notice replaces one with the same means and scope, so that none hides a sign-in that opened more.
   */
  permitSignInNotice(notice: SignInNoticeMail): Promise<boolean>;
  /** Counts a notice of a contest like {@link Mails.permit}, to the first of its records that has an address. Returns whether it is allowed. */
  permitContestNotice(notice: ContestNoticeMail): Promise<boolean>;
}

/** Cause of mails that an unidentified visitor of the portal requests. */
export const ANONYMOUS = 'anonymous';

/** Name of the job that sends a mail. */
export const TASK = 'mail';

const QUARTER_HOUR = 15 * 60;

/**
 * Records of one address and Data User that may use up their limits of mails at the same time: a request for sign-in links mails as many.
 */
const HOMES_OF_ADDRESS = 5;

/** Attempts beyond those at the maximum delay: the first ones have shorter delays, and a process that ends may cost one. */
const SPARE_ATTEMPTS = 100;

/** More attempts than fit into the time in which a mail is useful; that time limits them. Links expire sooner than notices. */
const ATTEMPTS = SPARE_ATTEMPTS + (Math.max(...Object.values(NOTICE_HOURS)) * 3_600) / MAX_RETRY_DELAY_SECONDS;

/** Dependencies of the queue of mails. */
interface MailQueueDependencies {
  readonly keys: IdentityKeys;
  readonly jobs: JobQueue;
  readonly rateLimits: RateLimitStore;
  readonly limits: Limits;
}

/** Adds the job that sends a mail. */
type AddMail = (
  session: Session,
  mail: OutgoingMail,
  options?: Pick<JobOptions, 'key' | 'afterSeconds'>,
) => Promise<void>;

/** The queue of mails. Jobs are encrypted: they contain neither addresses nor secrets of links in clear. */
export function mailQueue({ keys, jobs, rateLimits, limits }: MailQueueDependencies): Mails {
  const perPerson = rateLimit(rateLimits, 'mails', limits.mails, QUARTER_HOUR);
  const perAddress = rateLimit(rateLimits, 'mails-to-address', HOMES_OF_ADDRESS * limits.mails, QUARTER_HOUR);
  const add: AddMail = (session, mail, options = {}) => {
    const sealed = encryptValue(keys.encryptionKey, JSON.stringify(mail), TASK).toString('base64');
    return jobs.add(session, TASK, { sealed }, { ...options, maxAttempts: ATTEMPTS });
  };
  const addressKeyOf = async (session: Session, recordId: string) =>
    (await recipientOf(session, [recordId]))?.address ?? null;
  const permit: Mails['permit'] = async (recordId, by, session) => {
    const retryAfter = await perPerson.count(`${recordId} ${by}`, session);
    const address = retryAfter === null ? await addressKeyOf(session ?? rateLimits.pool, recordId) : null;
    return address === null ? retryAfter : perAddress.count(`${address} ${by}`, session);
  };
  return {
    enqueue: (session, mail) => add(session, mail),
    permit,
    async permitEach(recordIds, by, session) {
      const personal = new Set<string>();
      for (const id of recordIds.toSorted())
        if ((await perPerson.count(`${id} ${by}`, session)) === null) personal.add(id);
      const addressed: { id: string; address: string | null }[] = [];
      for (const id of recordIds.filter((each) => personal.has(each)))
        addressed.push({ id, address: await addressKeyOf(session, id) });
      const inOrder = addressed.toSorted((one, other) => (one.address ?? '').localeCompare(other.address ?? ''));
      const permitted = new Set<string>();
      for (const { id, address } of inOrder)
        if (address === null || (await perAddress.count(`${address} ${by}`, session)) === null) permitted.add(id);
      return permitted;
    },
    permitSignInNotice: signInNoticeLimits({ rateLimits, limits }, add),
    async permitContestNotice(notice) {
      const recordId = (await recipientOf(rateLimits.pool, recordIdsOf(notice)))?.recordId ?? notice.recordId;
      return (await permit(recordId, `${notice.kind} ${notice.duid}`)) === null;
    },
  };
}

/** Limits of notices of sign-ins. Those beyond a limit are added again, for the end of its period. */
function signInNoticeLimits(
  { rateLimits, limits }: Pick<MailQueueDependencies, 'rateLimits' | 'limits'>,
  add: AddMail,
): Mails['permitSignInNotice'] {
  const most = HOMES_OF_ADDRESS * limits.mails;
  const perHome = rateLimit(rateLimits, 'sign-in-notices', 1, QUARTER_HOUR);
  const perAddress = rateLimit(rateLimits, 'sign-in-notices-to-address', most, QUARTER_HOUR);
  return async (notice) => {
    const { recordId, means, isLimited } = notice;
    const recipient = await recipientOf(rateLimits.pool, recordIdsOf(notice));
    const { homeAddress, address } = recipient ?? { homeAddress: recordId, address: recordId };
    const afterSeconds =
      (await perAddress.passed(address)) ?? (await perHome.count(homeAddress)) ?? (await perAddress.count(address));
    if (afterSeconds === null) return true;
    const key = `sign-in-notice ${recordId} ${means} ${isLimited ? 'contact' : 'home'}`;
    await add(rateLimits.pool, { ...notice, isMerged: true }, { key, afterSeconds });
    return false;
  };
}
