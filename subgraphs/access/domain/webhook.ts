/** Events that a subscription can ask for (1-specification.md, Events). */
export const WEBHOOK_EVENT_TYPES = ['consent.expiring', 'tenancy.change', 'consent.withdrawal'] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** What is delivered: those events, and the test of a subscription. */
export type DeliveredEventType = WebhookEventType | 'webhook.test';

/** What becomes of a delivery. */
export const DELIVERY_STATES = ['pending', 'delivered', 'undelivered', 'superseded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Days before the expiry of a record from which `consent.expiring` is told. */
export const NOTIFY_DAYS = { least: 1, most: 90, unlessGiven: 30 } as const;

/** A subscription as its Data User asks for it. */
export interface WebhookInput {
  callbackUrl: string;
  alertEmail: string;
  notifyDaysBefore?: number | null;
  /** All of them unless given. */
  eventTypes?: WebhookEventType[] | null;
}

/** A partial update: what is absent stays as it is. */
export interface WebhookUpdate extends Partial<{ [Field in keyof WebhookInput]: WebhookInput[Field] | null }> {
  rotateSecret?: boolean | null;
}

/** A subscription as it is: of its Data User alone. */
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
