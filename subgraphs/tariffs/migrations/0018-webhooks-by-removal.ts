import { ForwardMigration } from '../../server/database/forward-migration';

/** The deliveries of an event are read through the webhooks of its supplier that were not removed before it. */
export class TariffWebhooksByRemoval1790000000018 extends ForwardMigration {
  readonly statements = [`create index webhook_by_removal on tariffs.webhook (mpid, coalesce(deleted_at, 'infinity'))`];
}
