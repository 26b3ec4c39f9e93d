import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../server/database/database';
import type { Session } from '../../server/database/transaction';
import type { JobQueue, Task } from '../../server/jobs/jobs';
import { recoverableJob } from '../../server/jobs/recoverable-job';
import { type MailServer, isDefinitelyRejected, isPermanentlyRejected } from '../../server/mail-server';
import { errorFields } from '../../server/observability/failures';
import { alertMail } from './alert-mail.flow';
import { type Alert, SUBSCRIPTIONS_TO_ALERT, type WebhookAlertRepository } from './webhook-alert.repository';

/** Dependencies of {@link webhookAlerts}. */
interface AlertDependencies {
  readonly database: Pick<Database, 'pool'>;
  readonly alerts: WebhookAlertRepository;
  readonly jobs: JobQueue;
  /** Undefined without a mail server; production requires one. */
  readonly mails: MailServer | undefined;
  readonly logger: Logger;
}

/** Mails to the `alert-email` of subscriptions. */
interface Alerts {
  /** Requests a mail, in the transaction that makes a delivery undelivered. */
  request(session: Session, webhookId: string): Promise<void>;
  /** Adds the jobs of due mails again, as after a restore. */
  requeueLostJobs(): Promise<void>;
  /** The work of the jobs, by name. */
  readonly tasks: Readonly<Record<string, Task>>;
}

const TASK = 'alert';
/**
 * Delay of another mail after a failed one, and maximum interval of the check whether the hour has passed. The register's clock can be moved,
 * so one long delay could be wrong. The backoff of failed jobs is not used: its delays grow to hours.
 */
const MAX_WAIT_SECONDS = 30;
/** Attempts to store which events a mail reported, and the milliseconds between them. */
const MAX_STORE_ATTEMPTS = 20;
const STORE_RETRY_MS = 500;

/**
 * Sends at most one alert mail per subscription and hour, about all deliveries that became undelivered since the last one. Reserves the
 * hour before sending and releases it only if no mail was due after all, or if the mail server definitely rejected it. A crash delays a
 * mail; a mail whose acceptance was not recorded is repeated after the hour.
 */
export function webhookAlerts(dependencies: AlertDependencies): Alerts {
  const { database, alerts, jobs } = dependencies;
  const job = recoverableJob(jobs, TASK, SUBSCRIPTIONS_TO_ALERT);
  /**
   * Sends the mail of a reserved hour. Returns the mail if it must not be sent again, the result if it is to be sent again, and undefined if
   * no mail is due.
   */
  const sendAlert = async (webhookId: string): Promise<Alert | Unfinished | undefined> => {
    const alert = await alerts.alert(webhookId);
    if (alert === undefined || alert.eventIds.length === 0) return undefined;
    const result = await send(dependencies, webhookId, alert);
    return result === 'finished' ? alert : result;
  };
  const task: Task = async (payload) => {
    const { id: webhookId } = payload as { id: string };
    const hour = await alerts.reserveHour(webhookId);
    if (hour.kind === 'later') await job.add(database.pool, webhookId, Math.min(hour.seconds, MAX_WAIT_SECONDS));
    if (hour.kind !== 'now') return;
    const sent = await sendAlert(webhookId).catch(async (error: unknown) => {
      await alerts.releaseHour(webhookId);
      throw error;
    });
    if (sent === 'rejected' || sent === undefined) await alerts.releaseHour(webhookId);
    if (sent === 'rejected' || sent === 'unknown') await job.add(database.pool, webhookId, MAX_WAIT_SECONDS);
    else if (sent !== undefined) await retried(() => alerts.storeAlerted(webhookId, sent.eventIds));
  };
  return {
    request: (session, webhookId) => job.add(session, webhookId, 0),
    requeueLostJobs: () => job.requeueLost(database.pool),
    tasks: { [TASK]: task },
  };
}

/** `rejected`: the mail server definitely did not accept the mail; `unknown`: it may have. */
type Unfinished = 'rejected' | 'unknown';

/** Sends a mail. `finished`: accepted, permanently rejected, or no mail server is configured. */
async function send(
  { mails, logger }: AlertDependencies,
  webhook: string,
  alert: Alert,
): Promise<'finished' | Unfinished> {
  if (mails === undefined) {
    logger.warn({ webhook }, 'alert not sent: no mail server is configured');
    return 'finished';
  }
  try {
    await mails.send(alert.alertEmail, alertMail(alert));
    return 'finished';
  } catch (error) {
    if (isPermanentlyRejected(error)) {
      logger.warn({ webhook }, 'alert permanently rejected by the mail server');
      return 'finished';
    }
    const isRejected = isDefinitelyRejected(error);
    const message = isRejected ? 'alert not accepted by the mail server' : 'alert possibly accepted by the mail server';
    logger.warn({ webhook, failure: errorFields(error) }, message);
    return isRejected ? 'rejected' : 'unknown';
  }
}

/** Retries only the write: the mail has been sent and must not be sent again. */
async function retried(write: () => Promise<void>): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await write();
    } catch (error) {
      if (failures === MAX_STORE_ATTEMPTS) throw error;
      await wait(STORE_RETRY_MS);
    }
  }
}
