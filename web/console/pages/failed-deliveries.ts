import { wireType } from '../live/event-types';
import { FAILED_DELIVERIES_PATH } from '../live/figures';
import { utcDayAndTime } from '../format';
import type { FailedDelivery } from '../live/operation-results';
import { get } from '../page';
import { pageLinks, textOf, withQuery } from '../request/query';

/** Deliveries per page. */
const LISTED_DELIVERIES = 50;

/** Lists the deliveries behind the figures of failures on the live page, newest first. */
export const failedDeliveriesPage = get(FAILED_DELIVERIES_PATH, async ({ executeAsAccount, query }) => {
  const after = textOf(query['after']);
  const { deliveries } = await executeAsAccount('ReadFailedDeliveries', {
    first: LISTED_DELIVERIES,
    after: after ?? null,
  });
  return {
    view: 'failed-deliveries',
    model: {
      rows: deliveries.nodes.map(rowOf),
      ...pageLinks(after, deliveries.nextCursor, (cursor) => withQuery(FAILED_DELIVERIES_PATH, { after: cursor })),
    },
  };
});

function rowOf({ eventType, status, lastFailure, nextAttemptAt, ...delivery }: FailedDelivery) {
  return {
    ...delivery,
    type: wireType(eventType),
    status: status.toLowerCase(),
    failure: lastFailure === null ? 'the body cannot be made' : reasonOf(lastFailure),
    failedAt: lastFailure && instantOf(lastFailure.at),
    next: nextAttemptAt && instantOf(nextAttemptAt),
  };
}

/** Returns the HTTP status of an attempt, or why it received none. */
function reasonOf({ status, error }: NonNullable<FailedDelivery['lastFailure']>): string {
  return status === null ? (error ?? '').replaceAll('-', ' ') : `HTTP ${status}`;
}

function instantOf(at: string) {
  return { at, written: utcDayAndTime(at) };
}
