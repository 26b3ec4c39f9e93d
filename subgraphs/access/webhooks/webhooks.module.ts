import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { CallbackUrlPolicy } from '../../delivery/requests/callback-url';
import { type Deliveries, startDeliveries } from '../../delivery/engine';
import { callbackSender } from '../../delivery/requests/sender';
import type { Database } from '../../server/database/database';
import type { DatabaseAddress } from '../../server/database/database-login';
import { RENEW_AT_CONNECT } from '../../server/event-log/event-era';
import { startWorkers } from '../../server/jobs/job-workers';
import { jobQueue } from '../../server/jobs/jobs';
import { repeat } from '../../server/jobs/repeat';
import { keyedHash } from '../../server/keyed-hash';
import { mailServer } from '../../server/mail-server';
import { purgePeriodically } from '../../server/retention';
import type { SubgraphLink } from '../../server/graph/subgraph-link';
import { DeliveryHealthRepository } from './delivery-health.repository';
import { ACCESS_JOBS } from '../tables.sql';
import type { TenancyChangeRepository } from '../operator/tenancy-change.repository';
import { WebhookAlertRepository } from './webhook-alert.repository';
import { WebhookDeliveryRepository } from './webhook-delivery.repository';
import { DeliveryInputQueries } from './delivery-input.queries';
import { webhookCipher } from './webhook-secrets.repository';
import { WEBHOOK_SCHEDULE } from './webhook';
import { WebhookAudit } from './webhook-audit.repository';
import { webhooksOfTerminated } from './webhook-deletion.repository';
import { WebhookRepository } from './webhook.repository';
import { SENDER } from './alert-mail.flow';
import { webhookAlerts } from './alerts.flow';
import { mpxnsOfRecords, sourceReferencesOfChanges } from './notified-data.client';
import { webhookSource } from './webhook-source.flow';

/** Alert mails that a process sends concurrently. */
const ALERT_WORKERS = 2;
/** Seconds between two searches for alert mails whose job was lost. */
const REQUEUE_EVERY_SECONDS = 300;
/** Seconds between two deletions of subscriptions of terminated Data Users. */
const PURGE_EVERY_SECONDS = 3_600;

/** Keys that hash and encrypt subscriptions, 32 bytes each. */
interface Keys {
  readonly hashKey: Buffer;
  readonly encryptionKey: Buffer;
}

/** Creates the dependencies of the resolvers of subscriptions. */
export function webhookDependencies(
  database: Database,
  { hashKey, encryptionKey }: Keys,
  urlPolicy: CallbackUrlPolicy,
  logger: Logger,
) {
  const cipher = webhookCipher(encryptionKey);
  const audit = new WebhookAudit(hashKey, cipher);
  return {
    webhooks: new WebhookRepository(database, keyedHash(hashKey, 'callback-url'), cipher, audit, logger),
    webhookDeliveries: new WebhookDeliveryRepository(database),
    deliveryHealth: new DeliveryHealthRepository(database),
    callbackUrlPolicy: urlPolicy,
  };
}

/** Dependencies of {@link deliverWebhooks}. */
interface WebhookDeliveryOptions {
  readonly address: DatabaseAddress;
  readonly database: Database;
  readonly keys: Keys;
  readonly identity: SubgraphLink;
  readonly changes: TenancyChangeRepository;
  readonly mail: { readonly smtpUrl: string | undefined; readonly mailFrom: string };
  readonly allowLoopback: boolean;
  readonly production: boolean;
  readonly logger: Logger;
  readonly metrics?: Registry | undefined;
}

/** Starts the delivery of events to the subscriptions of Data Users, and of alert mails about failed deliveries. Every replica runs it. */
export async function deliverWebhooks(options: WebhookDeliveryOptions): Promise<Deliveries> {
  const { address, database, keys, logger, changes } = options;
  const { hashKey, encryptionKey } = keys;
  const cipher = webhookCipher(encryptionKey);
  const alerts = webhookAlerts({
    database,
    alerts: new WebhookAlertRepository(database, cipher),
    jobs: jobQueue(ACCESS_JOBS),
    mails: mailsOf(options),
    logger,
  });
  const source = webhookSource({
    inputs: new DeliveryInputQueries(database, cipher, encryptionKey),
    mpxnOf: mpxnsOfRecords(options.identity),
    sourceReferenceOf: sourceReferencesOfChanges(options.identity),
    changes,
    alert: alerts.request,
  });
  const sender = callbackSender({ allowLoopback: options.allowLoopback });
  const jobs = { address, schema: ACCESS_JOBS, logger };
  const workers = await startWorkers({ ...jobs, tasks: alerts.tasks, concurrency: ALERT_WORKERS });
  const deliveries = await startDeliveries({
    address,
    atConnect: RENEW_AT_CONNECT, // the fan-out writes the notices of expiries
    source,
    schedule: WEBHOOK_SCHEDULE,
    sender,
    logger,
    metrics: options.metrics,
  });
  const stopRequeueing = repeat(REQUEUE_EVERY_SECONDS, alerts.requeueLostJobs, logger);
  const purges = [webhooksOfTerminated(database.pool, new WebhookAudit(hashKey, cipher))];
  const stopPurge = purgePeriodically(database.pool, purges, PURGE_EVERY_SECONDS, logger);
  return {
    stop: async (forced) => {
      await Promise.all([stopRequeueing(), stopPurge(), deliveries.stop(forced), workers.stop(forced)]);
      sender.close();
    },
  };
}

function mailsOf({ mail: { smtpUrl, mailFrom }, production }: WebhookDeliveryOptions) {
  return smtpUrl === undefined ? undefined : mailServer(smtpUrl, { name: SENDER, address: mailFrom }, 'en', production);
}
