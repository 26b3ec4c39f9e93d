import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The deliveries of an event are read through the webhooks of its supplier that were not removed before it. */
export class TariffWebhooksByRemoval1790000000018 implements MigrationInterface {
  async up(session: QueryRunner): Promise<void> {
    await session.query(`create index webhook_by_removal on tariffs.webhook (mpid, coalesce(deleted_at, 'infinity'))`);
  }

  async down(): Promise<void> {
    throw new Error('the register is append-only: migrations go forward');
  }
}
