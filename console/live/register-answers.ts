/** An event, as the live page asks for it. */
export interface LiveEvent {
  readonly id: string;
  readonly cursor: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly dataUser: DataUserName | null;
  /** The state change, if the event is one. */
  readonly transition: { readonly to: string } | null;
  readonly accessRecord: { readonly discoveredAccess: { readonly organisationName: string } | null } | null;
  readonly affectedRecordCount: number | null;
  readonly daysRemaining: number | null;
  readonly effectiveDate: string | null;
}

/** An organisation by identifier and name. */
export interface DataUserName {
  readonly duid: string;
  readonly displayName: string;
}

/** How many events of a type there were in a minute. */
export interface EventCount {
  readonly minute: string;
  readonly type: string;
  readonly count: number;
}

/** How deliveries of webhooks fare. */
export interface DeliveryHealth {
  readonly pending: number;
  readonly oldestPendingSeconds: number | null;
  readonly deliveredLastHour: number;
  readonly failedAttemptsLastHour: number;
  readonly undeliveredLastDay: number;
  readonly subscriptions: readonly SubscriptionHealth[];
}

/** How the deliveries of one subscription fare. */
export interface SubscriptionHealth {
  readonly webhookId: string;
  readonly dataUser: DataUserName;
  readonly pending: number;
  readonly failedAttemptsLastHour: number;
  readonly undelivered: number;
  readonly lastDeliveredAt: string | null;
}
