import type { Database } from '../server/database/database';
import type { PendingDelivery } from './delivery';
import { batched } from '../server/database/batched';

/** The key of a delivery. */
export type DeliveryKey = Pick<PendingDelivery, 'endpointId' | 'eventId'>;

/** Columns that every statement of {@link pendingInputs} selects: the number of the key, from 1, and whether the delivery is pending. */
export interface InputRow {
  readonly n: number;
  readonly isPending: boolean;
}

/** Deliveries per read, and concurrent reads. */
const BATCHES = { maxSize: 100, concurrency: 1 };

/**
 * Returns a batched read of the data that assembles deliveries; undefined for a delivery that does not exist or is no longer pending.
 *
 * @param statement selects rows by event ids (`$1`) and endpoint ids (`$2`)
 */
export function pendingInputs<Row extends InputRow>(
  reads: Pick<Database['reads'], 'rows'>,
  statement: { readonly name: string; readonly text: string },
): (delivery: DeliveryKey) => Promise<Row | undefined> {
  const rowOf = batched(async (keys: readonly DeliveryKey[]) => {
    const ids = [keys.map(({ eventId }) => eventId), keys.map(({ endpointId }) => endpointId)];
    const rows = keys.map((): Row | undefined => undefined);
    for (const row of await reads.rows<Row>(statement, ids)) rows[row.n - 1] = row;
    return rows;
  }, BATCHES);
  return async (delivery) => {
    const row = await rowOf(delivery);
    return row?.isPending ? row : undefined;
  };
}
