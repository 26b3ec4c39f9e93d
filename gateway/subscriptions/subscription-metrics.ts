import { Counter, Gauge, type Registry } from 'prom-client';

/** Ways in which a subscription reaches its client. */
export type Transport = 'websocket' | 'server-sent-events';

/** Measures subscriptions: how many there are, what they are told, and how often that had to be executed. */
export interface SubscriptionMetrics {
  /** A subscription begins; the function returned ends it. */
  begin(transport: Transport): () => void;
  executed(): void;
  answered(): void;
  /** A connection was ended or refused by the register, for a code of the catalogue or another reason; told once for each. */
  ended(reason: string): void;
}

/** Metrics of the gateway's subscriptions. */
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
  const answers = new Counter({
    name: 'gateway_subscription_answers_total',
    help: 'Events that were sent to subscribers',
    registers,
  });
  const endings = new Counter({
    name: 'gateway_subscription_connections_ended_total',
    help: 'WebSockets and streams of Server-Sent Events that the register ended or refused, each once, by reason',
    labelNames: ['reason'],
    registers,
  });
  return {
    begin(transport) {
      open.inc({ transport });
      return () => open.dec({ transport });
    },
    executed: () => executions.inc(),
    answered: () => answers.inc(),
    ended: (reason) => endings.inc({ reason }),
  };
}
