import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../server/database';
import { failureFacts } from '../../server/failures';
import type { JobQueue, Task } from '../../server/jobs';
import { type MailServer, isRefusedForGood, isSurelyNotTaken } from '../../server/mail-server';
import type { Session } from '../../server/transaction';
import type { Alert, WebhookAlertRepository } from '../database/webhook-alert.repository';
import { alertLetter } from './alert-letter';

/** What alerts are made of. */
export interface AlertParts {
  readonly database: Pick<Database, 'pool'>;
  readonly alerts: WebhookAlertRepository;
  readonly jobs: JobQueue;
  /** Undefined when there is none, which production refuses. */
  readonly mails: MailServer | undefined;
  readonly logger: Logger;
}

/** Mails to `alert-email`. */
export interface Alerts {
  /** Asks for a mail, in the transaction that made a delivery undelivered. */
  request(session: Session, webhookId: string): Promise<void>;
  /** What is done for the jobs, by their names. */
  readonly tasks: Readonly<Record<string, Task>>;
}

const TASK = 'alert';
/** Seconds between two looks whether the hour is over: the register's clock may be moved meanwhile. */
const LONGEST_WAIT = 30;
const ATTEMPTS = 10_000;
/** How often it is tried to note what a mail has told of, and milliseconds in between. */
const NOTES = 20;
const NOTE_AGAIN = 500;

/**
 * A mail when deliveries of a subscription were given up: at most one in an hour, with all that were given up since the last. The hour
 * is taken before the mail is sent, and given back only when the mail was surely not taken: who is killed in between, or does not hear
 * whether the mail server took it, is an hour late, nobody is mailed twice within one.
 */
export function webhookAlerts(parts: AlertParts): Alerts {
  const { database, alerts, jobs } = parts;
  const plan = (session: Session, webhookId: string, afterSeconds: number) =>
    jobs.add(session, TASK, { webhookId }, { key: `${TASK}:${webhookId}`, afterSeconds, maxAttempts: ATTEMPTS });
  /** The mail of an hour that was taken; what it told of, once it surely did. */
  const mailed = async (webhookId: string): Promise<Alert | 'perhaps' | undefined> => {
    const alert = await alerts.alert(webhookId);
    if (alert === undefined || alert.events.length === 0) return undefined;
    return (await send(parts, webhookId, alert)) === 'taken' ? alert : 'perhaps';
  };
  const task: Task = async (payload) => {
    const { webhookId } = payload as { webhookId: string };
    const turn = await alerts.takeTurn(webhookId);
    if (turn.kind === 'later') await plan(database.pool, webhookId, Math.min(turn.seconds, LONGEST_WAIT));
    if (turn.kind !== 'now') return;
    const alert = await mailed(webhookId).catch(async (error: unknown) => {
      await alerts.giveBack(webhookId);
      throw error;
    });
    if (alert === 'perhaps') await plan(database.pool, webhookId, LONGEST_WAIT);
    else if (alert !== undefined) await noted(() => alerts.told(webhookId, alert.events));
  };
  return { request: (session, webhookId) => plan(session, webhookId, 0), tasks: { [TASK]: task } };
}

/** Sends a mail; fails when it was surely not taken and may be sent again. */
async function send({ mails, logger }: AlertParts, webhook: string, alert: Alert): Promise<'taken' | 'perhaps taken'> {
  if (mails === undefined) {
    logger.warn({ webhook }, 'there is no mail server: an alert was not sent');
    return 'taken';
  }
  try {
    await mails.send(alert.alertEmail, alertLetter(alert));
    return 'taken';
  } catch (error) {
    if (isRefusedForGood(error)) {
      logger.warn({ webhook }, 'the mail server refused an alert for good');
      return 'taken';
    }
    if (isSurelyNotTaken(error)) throw error;
    logger.warn({ webhook, failure: failureFacts(error) }, 'it is not known whether the mail server took an alert');
    return 'perhaps taken';
  }
}

/** What a mail has told of is noted alone, again and again: the mail is in the hands of its server. */
async function noted(note: () => Promise<void>): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await note();
    } catch (error) {
      if (failures === NOTES) throw error;
      await wait(NOTE_AGAIN);
    }
  }
}
