import { type Visit } from '../page';
import { duration, shortTime } from './instants';
import { type EventsPerMinute, PLOTTED_MINUTES, eventsPerMinute, minutesTable } from './minutes';
import type { DeliveryHealth, EventCount } from './register-answers';

/** One figure of the page. */
interface Figure {
  readonly name: string;
  /** Of when it speaks. */
  readonly span: string;
  readonly value: string;
  /** Whether somebody should look into it. */
  readonly isWorrying: boolean;
}

/** What the page says of the last hour, of deliveries as a whole, and of each subscription. */
export interface Figures {
  readonly perMinute: EventsPerMinute;
  readonly minutes: ReturnType<typeof minutesTable>;
  readonly figures: readonly Figure[];
  readonly subscriptions: readonly SubscriptionRow[];
}

interface SubscriptionRow {
  readonly dataUser: string;
  readonly duid: string;
  readonly webhookId: string;
  readonly pending: number;
  readonly failed: number;
  readonly undelivered: number;
  readonly lastDelivered: string | undefined;
}

/** Seconds for which the oldest delivery may wait before it is a worry: one retry of the schedule. */
const WAITING_LONG = 60;

/** Asks the register for the figures of the page. */
export async function readFigures({ askAsAccount }: Pick<Visit, 'askAsAccount'>): Promise<Figures> {
  const { counts, health } = await askAsAccount<{ counts: EventCount[]; health: DeliveryHealth }>('ReadLiveFigures', {
    minutes: PLOTTED_MINUTES,
  });
  const perMinute = eventsPerMinute(counts, new Date());
  return {
    perMinute,
    minutes: minutesTable(perMinute),
    figures: figuresOf(perMinute, health),
    subscriptions: subscriptionRows(health),
  };
}

function figuresOf({ total }: EventsPerMinute, health: DeliveryHealth): Figure[] {
  const oldest = health.oldestPendingSeconds;
  return [
    figure('Events', LAST_HOUR, total),
    figure('Delivered', LAST_HOUR, health.deliveredLastHour),
    figure('Pending', 'now', health.pending),
    {
      name: 'Oldest pending',
      span: 'now',
      value: oldest === null ? '–' : duration(oldest),
      isWorrying: (oldest ?? 0) > WAITING_LONG,
    },
    figure('Failed attempts', LAST_HOUR, health.failedAttemptsLastHour, health.failedAttemptsLastHour > 0),
    figure('Undelivered', 'last day', health.undeliveredLastDay, health.undeliveredLastDay > 0),
  ];
}

const LAST_HOUR = 'last hour';

function figure(name: string, span: string, value: number, isWorrying = false): Figure {
  return { name, span, value: value.toLocaleString('en-GB'), isWorrying };
}

/** Those with troubles first. */
function subscriptionRows({ subscriptions }: DeliveryHealth): SubscriptionRow[] {
  return subscriptions
    .map((each) => ({
      dataUser: each.dataUser.displayName,
      duid: each.dataUser.duid,
      webhookId: each.webhookId,
      pending: each.pending,
      failed: each.failedAttemptsLastHour,
      undelivered: each.undelivered,
      lastDelivered: each.lastDeliveredAt === null ? undefined : shortTime(each.lastDeliveredAt),
    }))
    .toSorted(
      (one, other) => other.undelivered - one.undelivered || other.failed - one.failed || other.pending - one.pending,
    );
}
