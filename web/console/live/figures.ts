import type { PageContext } from '../page';
import { counted, duration, utcShortTime } from '../format';
import { type EventsPerMinute, PLOTTED_MINUTES, eventsPerMinute, minutesTable } from './minutes';
import type { DeliveryHealth } from './operation-results';

/** The path of the page of failed deliveries. */
export const FAILED_DELIVERIES_PATH = '/deliveries/failed';

/** One figure of the page. */
interface Figure {
  readonly name: string;
  /** Period that the figure covers. */
  readonly span: string;
  readonly value: string;
  /** True if the figure needs attention. */
  readonly isWorrying: boolean;
  /** Address of the list of what the figure counts. */
  readonly address?: string;
}

/** Events of the last hour, deliveries in total, and deliveries by subscription. */
export interface Figures {
  readonly perMinute: EventsPerMinute;
  readonly minutes: ReturnType<typeof minutesTable>;
  readonly figures: readonly Figure[];
  readonly subscriptions: readonly SubscriptionRow[];
}

interface SubscriptionRow {
  readonly dataUser: string;
  readonly duid: string;
  readonly wid: string;
  readonly isSuspended: boolean;
  readonly pending: number;
  readonly failed: number;
  readonly faulty: number;
  readonly undelivered: number;
  readonly lastDelivered: string | undefined;
}

/** Age from which the oldest pending delivery needs attention: one retry interval. */
const LONG_WAIT_SECONDS = 60;

/** Reads the figures of the page from the register. */
export async function readFigures({ executeAsAccount }: Pick<PageContext, 'executeAsAccount'>): Promise<Figures> {
  const { counts, health } = await executeAsAccount('ReadLiveFigures', {
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
      isWorrying: (oldest ?? 0) > LONG_WAIT_SECONDS,
    },
    failures('Failed attempts', LAST_HOUR, health.failedAttemptsLastHour),
    failures('Cannot be made', 'now', health.faulty),
    failures('Undelivered', 'last day', health.undeliveredLastDay),
  ];
}

const LAST_HOUR = 'last hour';

function figure(name: string, span: string, value: number): Figure {
  return { name, span, value: counted(value), isWorrying: false };
}

/** A figure that needs attention unless it is 0, with the list of the deliveries. */
function failures(name: string, span: string, value: number): Figure {
  return { ...figure(name, span, value), isWorrying: value > 0, address: FAILED_DELIVERIES_PATH };
}

/** Returns the rows in the order of the register: subscriptions with problems come first. */
function subscriptionRows({ subscriptions }: DeliveryHealth): SubscriptionRow[] {
  return subscriptions.map((each) => ({
    dataUser: each.dataUser.displayName,
    duid: each.dataUser.duid,
    wid: each.wid,
    isSuspended: !each.active,
    pending: each.pending,
    failed: each.failedAttemptsLastHour,
    faulty: each.faulty,
    undelivered: each.undelivered,
    lastDelivered: each.lastDeliveredAt === null ? undefined : utcShortTime(each.lastDeliveredAt),
  }));
}
