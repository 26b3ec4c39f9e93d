import { Counter, Gauge, type Registry } from 'prom-client';

/** Transport of a subscription. */
export type Transport = 'websocket' | 'server-sent-events';

/** Measures subscriptions: open ones, events sent, and executions needed for them. */
export interface SubscriptionMetrics {
  /** Counts an open subscription. The returned function counts its end. */
  opened(transport: Transport): () => void;
  executed(): void;
  sent(): void;
  /** Counts a connection that the register ended or rejected, once, by catalogue code or another reason. */
  ended(reason: string): void;
}

/** Registers the metrics of the gateway's subscriptions. */
export function subscriptionMetrics(registry: Registry): SubscriptionMetrics {
  const registers = [registry];
  const open = new Gauge({
    name: 'gateway_subscriptions',
    help: 'Subscriptions that are open',
    labelNames: ['transport'],
    registers,
  });
  const executions = new Counter({
    name: 'gateway_subscription_executions_total',
    help: 'Events that were executed for subscriptions, once for all identical ones',
    registers,
  });
  const sentEvents = new Counter({
    name: 'gateway_subscription_answers_total',
    help: 'Events that were sent to subscribers',
    registers,
  });
  const endings = new Counter({
    name: 'gateway_subscription_connections_ended_total',
    help: 'WebSockets and streams of Server-Sent Events that the register ended or rejected, each once, by reason',
    labelNames: ['reason'],
    registers,
  });
  return {
    opened(transport) {
      open.inc({ transport });
      return () => open.dec({ transport });
    },
    executed: () => executions.inc(),
    sent: () => sentEvents.inc(),
    ended: (reason) => endings.inc({ reason }),
  };
}
