import type { RetrySchedule } from '../../delivery/schedule';

/** Types of events that a Data User can subscribe to (specification, Events). */
export const WEBHOOK_EVENT_TYPES = ['consent.expiring', 'tenancy.change', 'consent.withdrawal'] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** Types of delivered events: those, and the test event of a subscription. */
export type DeliveredEventType = WebhookEventType | 'webhook.test';

/** States of a delivery. */
export type DeliveryState = 'pending' | 'delivered' | 'undelivered' | 'superseded';

/** Delays of the retries: 1 minute, 5 minutes, 30 minutes, 2 hours and 24 hours (decisions A/B, 6). */
export const WEBHOOK_SCHEDULE: RetrySchedule = { delays: [60, 300, 1_800, 7_200, 86_400] };

/** Bounds of `notifyDaysBefore`: the days before the expiry of a record at which `consent.expiring` is sent. */
export const NOTIFY_DAYS = { min: 1, max: 90, default: 30 } as const;

/** The input of a registration. */
export interface WebhookInput {
  callbackUrl: string;
  alertEmail: string;
  notifyDaysBefore?: number | null;
  /** Absent: all types. */
  eventTypes?: WebhookEventType[] | null;
}

/** A partial update: absent fields stay unchanged. */
export interface WebhookUpdate extends Partial<{ [Field in keyof WebhookInput]: WebhookInput[Field] | null }> {
  rotateSecret?: boolean | null;
}

/** A subscription, visible to its own Data User only. */
export interface Webhook {
  readonly id: string;
  readonly wid: string;
  readonly duid: string;
  readonly callbackUrl: string;
  readonly alertEmail: string;
  readonly notifyDaysBefore: number;
  readonly eventTypes: readonly WebhookEventType[];
  readonly createdAt: Date;
  /** False while the Data User is suspended. */
  readonly active: boolean;
}

/** The name of the mutation that registers a subscription; idempotency keys are stored under it. */
export const REGISTER_WEBHOOK = 'registerWebhook';
