import type { Logger } from 'pino';
import { isAway } from '../server/away';
import { failureFacts } from '../server/failures';
import { logFault } from '../server/fault-log';
import type { Assembled, DeliverySource } from './delivery';
import type { DeliveryMetrics } from './delivery-metrics';
import { type LaneDelivery, faultOf, outcomeOf } from './pass';
import type { Result, Results } from './results.repository';
import type { RetrySchedule } from './schedule';
import type { SendResult, Sender } from './sender';
import type { AttemptPlace } from './slot-place';
import type { AfterAttempt } from './slot-work';
import { untilKept } from './until-kept';

/** What an attempt needs. */
export interface AttemptParts {
  readonly source: DeliverySource;
  readonly schedule: RetrySchedule;
  readonly sender: Sender;
  readonly results: Results;
  readonly metrics: DeliveryMetrics;
  readonly logger: Logger;
  /** Aborts when nothing is waited for any more. */
  readonly stopped: AbortSignal;
}

/** Seconds until facts are read again that the database did not give. */
const DATABASE_AWAY = { kind: 'wait', seconds: 3 } as const;
/** Seconds after which a suspended delivery is looked at again, should nobody resume it. */
const SUSPENDED_FOR = 600;

const GOES_ON: AfterAttempt = { laneWaits: false, lost: false, leave: false, urgentHasCome: false };
const LANE_WAITS: AfterAttempt = { ...GOES_ON, laneWaits: true };
const LOST: AfterAttempt = { ...GOES_ON, lost: true };
/** What superseded a delivery may be urgent. */
const DROPPED: AfterAttempt = { ...GOES_ON, urgentHasCome: true };

/** Makes one attempt and keeps its result, whatever the database does meanwhile: nothing else of its lane is sent before. */
export async function attemptDelivery(
  parts: AttemptParts,
  delivery: LaneDelivery,
  place: AttemptPlace,
): Promise<AfterAttempt> {
  const assembled = await assemble(parts, delivery);
  switch (assembled.kind) {
    case 'send':
      return sendAndKeep(parts, delivery, place, assembled);
    case 'drop':
      await parts.results.drop(delivery);
      return DROPPED;
    case 'wait':
      await parts.results.hold(delivery, { seconds: assembled.seconds });
      return LANE_WAITS;
    case 'suspended':
      await suspend(parts, delivery);
      return LANE_WAITS;
    case 'fault':
      return putOffFaulty(parts, delivery);
  }
}

type Assembly = Assembled | { readonly kind: 'fault' };

async function assemble({ source, logger }: AttemptParts, delivery: LaneDelivery): Promise<Assembly> {
  try {
    return await source.assemble(delivery);
  } catch (error) {
    const facts = { event: delivery.eventId, failure: failureFacts(error) };
    logFault(logger, 'warn', error, facts, 'delivery cannot be assembled');
    return isAway(error) ? DATABASE_AWAY : { kind: 'fault' };
  }
}

/** Asked again after it is known how often the endpoint was resumed: it is put off unless it is resumed after that. */
async function suspend(parts: AttemptParts, delivery: LaneDelivery): Promise<void> {
  const resumptions = await parts.results.resumptions(delivery.endpointId);
  const { kind } = await assemble(parts, delivery);
  if (kind === 'suspended') await parts.results.hold(delivery, { seconds: SUSPENDED_FOR, resumptions });
}

async function putOffFaulty({ results, schedule }: AttemptParts, delivery: LaneDelivery): Promise<AfterAttempt> {
  const fault = faultOf(schedule, delivery);
  if (fault.kind === 'lane-waits') {
    await results.hold(delivery, { seconds: fault.seconds, isFaulty: fault.counts });
    return LANE_WAITS;
  }
  if (fault.seconds !== null) await results.fault(delivery, fault.seconds);
  return GOES_ON;
}

async function sendAndKeep(
  parts: AttemptParts,
  delivery: LaneDelivery,
  place: AttemptPlace,
  assembled: Extract<Assembled, { kind: 'send' }>,
): Promise<AfterAttempt> {
  const { owner } = assembled;
  if (!place.admits(owner) || !(await place.keep())) return LOST;
  const sent = await place.accompany(owner, send(parts, delivery, place, assembled));
  const result: Result = { ...sent, delivery, slot: place.slot, outcome: outcomeOf(parts.schedule, delivery, sent) };
  const { urgentHasCome } = await untilKept(parts, 'result of a delivery is', () => parts.results.record(result));
  return { ...GOES_ON, leave: place.isLeft(), urgentHasCome };
}

async function send(
  { sender, metrics }: AttemptParts,
  { attempt, held, redeliveredAt, ageMs }: LaneDelivery,
  { sinceLook }: AttemptPlace,
  { dispatch, firstAttempt }: Extract<Assembled, { kind: 'send' }>,
): Promise<SendResult> {
  if (attempt === 0 && held === 0 && redeliveredAt === null) metrics.began(ageMs + sinceLook());
  firstAttempt?.();
  const sent = await sender.send(dispatch);
  metrics.attempted(sent.error);
  return sent;
}
