import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { startDeliveries } from '../../delivery/engine';
import { callbackSender } from '../../delivery/sender';
import type { Database } from '../../server/database';
import type { DatabaseAddress } from '../../server/database-login';
import { startWorkers } from '../../server/job-workers';
import { jobQueue } from '../../server/jobs';
import { keyedHash } from '../../server/keyed-hash';
import { mailServer } from '../../server/mail-server';
import type { SubgraphLink } from '../../server/subgraph-link';
import { DeliveryHealthRepository } from '../database/delivery-health.repository';
import { ACCESS_JOBS } from '../database/tables';
import type { TenancyChangeRepository } from '../database/tenancy-change.repository';
import { WebhookAlertRepository } from '../database/webhook-alert.repository';
import { WebhookDeliveryRepository } from '../database/webhook-delivery.repository';
import { WebhookFacts } from '../database/webhook-facts';
import { webhookSeals } from '../database/webhook-seal';
import { WebhookRepository } from '../database/webhook.repository';
import { SENDER } from './alert-letter';
import { webhookAlerts } from './alerts';
import { mpxnsOfRecords } from './mpxns';
import { WEBHOOK_SCHEDULE } from './retry-schedule';
import { webhookSource } from './webhook-source';

/** Alerts sent at once by a process. */
const ALERT_WORKERS = 2;

/** Keys under which subscriptions are kept, 32 bytes each. */
interface Keys {
  readonly hashKey: Buffer;
  readonly encryptionKey: Buffer;
}

/** What the resolvers of subscriptions work with. */
export function webhookParts(database: Database, { hashKey, encryptionKey }: Keys, allowLoopback: boolean) {
  return {
    webhooks: new WebhookRepository(database, keyedHash(hashKey, 'callback-url'), webhookSeals(encryptionKey)),
    webhookDeliveries: new WebhookDeliveryRepository(database),
    deliveryHealth: new DeliveryHealthRepository(database),
    callbackRealm: { allowLoopback },
  };
}

/** What delivering needs. */
export interface WebhookDeliveryOptions {
  readonly address: DatabaseAddress;
  readonly database: Database;
  readonly encryptionKey: Buffer;
  readonly identity: SubgraphLink;
  readonly changes: TenancyChangeRepository;
  readonly mail: { readonly smtpUrl: string | undefined; readonly mailFrom: string };
  readonly allowLoopback: boolean;
  readonly production: boolean;
  readonly logger: Logger;
  readonly metrics?: Registry | undefined;
}

/** Delivers events to the subscriptions of Data Users, and mails to those who look after one that fails. Every replica does. */
export async function deliverWebhooks(options: WebhookDeliveryOptions): Promise<{ stop(): Promise<void> }> {
  const { address, database, encryptionKey, logger, changes } = options;
  const seals = webhookSeals(encryptionKey);
  const alerts = webhookAlerts({
    database,
    alerts: new WebhookAlertRepository(database, seals),
    jobs: jobQueue(ACCESS_JOBS),
    mails: mailsOf(options),
    logger,
  });
  const source = webhookSource({
    facts: new WebhookFacts(database.reads, seals, encryptionKey),
    mpxnOf: mpxnsOfRecords(options.identity),
    changes,
    alert: alerts.request,
  });
  const sender = callbackSender({ allowLoopback: options.allowLoopback });
  const jobs = { address, schema: ACCESS_JOBS, logger };
  const workers = await startWorkers({ ...jobs, tasks: alerts.tasks, concurrency: ALERT_WORKERS });
  const deliveries = await startDeliveries({
    address,
    jobsSchema: ACCESS_JOBS,
    source,
    schedule: WEBHOOK_SCHEDULE,
    sender,
    logger,
    metrics: options.metrics,
  });
  return {
    stop: async () => {
      await Promise.all([deliveries.stop(), workers.stop()]);
      sender.close();
    },
  };
}

function mailsOf({ mail: { smtpUrl, mailFrom }, production }: WebhookDeliveryOptions) {
  return smtpUrl === undefined ? undefined : mailServer(smtpUrl, { name: SENDER, address: mailFrom }, 'en', production);
}
