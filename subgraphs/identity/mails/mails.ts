import { newIdentifier } from '../../../schema/identifiers';
import { isRefusedForGood, mailServer } from '../../server/mail-server';
import { rateLimit } from '../../server/rate-limits';
import { seal, unseal } from '../../server/sealed';
import type { QuestionOrigin } from '../../server/service-question';
import type { Session } from '../../server/transaction';
import { MailRecipientRepository } from '../database/mail-recipient.repository';
import type { OutgoingMail } from '../domain/outgoing-mail';
import type { Area, Foundation } from '../foundation';
import { organisations } from '../organisations';
import { SENDER, letterOf } from './letter';

/** Mails to the persons of Identity Records, sent after the transaction in which they are enqueued. */
export interface Mails {
  /** Enqueues a mail; it is sent once the transaction of the session is committed. */
  enqueue(session: Session, mail: OutgoingMail): Promise<void>;
  /**
   * Counts a mail to the person of a record that somebody causes: a Data User by its DUID, or {@link ANONYMOUS}. Each has a budget of its
   * own, so that none uses up another's. Seconds to wait when it is used up, null when the mail may be sent.
   */
  permit(recordId: string, by: string): Promise<number | null>;
}

/** Who causes a mail without saying who they are: a visitor of the portal. */
export const ANONYMOUS = 'anonymous';

const TASK = 'mail';
const QUARTER_HOUR = 15 * 60;

/** More attempts than the time until a mail is too old has room for: the time decides, not their number. */
const ATTEMPTS = 10_000;

/** Hours in which a notice is of use: it has no link that expires. */
const NOTICE_HOURS = { 'sign-in-notice': 24, 'contest-notice': 7 * 24 } as const;

/** What mails are made of before the foundation is whole. */
export type MailParts = Pick<Foundation, 'keys' | 'jobs' | 'rateLimits' | 'limits'>;

/** Mails are kept sealed until they are sent: the job has neither the address nor the secret of a link in clear. */
export function mailQueue({ keys, jobs, rateLimits, limits }: MailParts): Mails {
  const perPerson = rateLimit(rateLimits, 'mails', limits.mails, QUARTER_HOUR);
  return {
    enqueue(session, mail) {
      const sealed = seal(keys.encryptionKey, JSON.stringify(mail), TASK).toString('base64');
      return jobs.add(session, TASK, { sealed }, { maxAttempts: ATTEMPTS });
    },
    permit: (recordId, by) => perPerson.count(`${recordId} ${by}`),
  };
}

/**
 * Sends mails. The address is opened here; a mail whose record is gone, or whose link has expired, is dropped. While the mail server
 * is away it is tried again until then.
 */
export function mailArea(foundation: Foundation): Area {
  const { database, vault, keys, places, production, logger } = foundation;
  const recipients = new MailRecipientRepository(database, vault);
  const from = { name: SENDER, address: places.mailFrom };
  const server = places.smtpUrl === undefined ? undefined : mailServer(places.smtpUrl, from, 'en, cy', production);
  const names = organisations(foundation.access);
  /** A notice of a contest names its Data User; one that causes too many is told of no more for now. */
  const complete = async (mail: OutgoingMail): Promise<OutgoingMail | undefined> => {
    if (mail.kind !== 'contest-notice') return mail;
    if ((await foundation.mails.permit(mail.recordId, `${mail.kind} ${mail.duid}`)) !== null) return undefined;
    const { displayName: organisation } = await names.of(mail.duid, ofThisService());
    return { ...mail, organisation };
  };
  const send = async (payload: unknown): Promise<void> => {
    const mail = await complete(opened(keys.encryptionKey, payload));
    if (mail === undefined) return;
    const address = await recipients.addressFor(mail.recordId, usefulUntil(mail));
    if (address === undefined) return;
    if (server === undefined) return logger.warn({ mail: mail.kind }, 'there is no mail server: a mail was not sent');
    await server.send(address, letterOf(mail, places)).catch((error: unknown) => {
      if (!isRefusedForGood(error)) throw error;
      logger.warn({ mail: mail.kind }, 'the mail server refused a mail for good');
    });
  };
  return { resolvers: [], tasks: { [TASK]: send } };
}

function usefulUntil(mail: OutgoingMail): Date {
  return 'at' in mail ? new Date(mail.at.getTime() + NOTICE_HOURS[mail.kind] * 3_600_000) : mail.expiresAt;
}

function ofThisService(): QuestionOrigin {
  return { transactionId: newIdentifier('tid'), clientAddress: '' };
}

/** JSON has no instants: they become Dates again. */
function opened(key: Buffer, payload: unknown): OutgoingMail {
  const { sealed } = payload as { sealed: string };
  return JSON.parse(unseal(key, Buffer.from(sealed, 'base64'), TASK).toString('utf8'), (name, value: unknown) =>
    name === 'expiresAt' || name === 'at' ? new Date(value as string) : value,
  ) as OutgoingMail;
}
