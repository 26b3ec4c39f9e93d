import { type Session, inTransaction } from '../../server/database/transaction';
import type { IdentityDependencies } from '../dependencies';
import { type MeterPointAt, occupanciesAt } from '../occupancy/identity-occupancies.queries';

const STORE = {
  name: 'store_discovered_meter_points',
  text: `insert into discovered_meter_point (meter_point_id, key_id, sealed, recorded_at)
    select meter_point_id, key_id, sealed, coalesce(recorded_at, register_now())
    from unnest($1::text[], $2::uuid[], $3::bytea[], $4::timestamptz[]) discovered (meter_point_id, key_id, sealed, recorded_at)
    on conflict do nothing`,
};

/** A meter point with discovered access, and the instant of the discovery in PostgreSQL's text format; null is now. */
export interface Discovery {
  readonly mpxn: string;
  readonly recordedAt: string | null;
}

/** Stores the MPxNs of meter points with discovered access under the keys of their occupancies, once per occupancy. */
export async function storeDiscoveries(
  session: Session,
  { indexes, occupancyKeys }: Pick<IdentityDependencies, 'indexes' | 'occupancyKeys'>,
  discoveries: readonly Discovery[],
): Promise<void> {
  const points = discoveries.map(({ mpxn, recordedAt }): MeterPointAt => ({
    premises: indexes.mpxn(mpxn),
    at: recordedAt,
  }));
  const keys = await occupancyKeys.obtain(session, await occupanciesAt(session, points));
  const ids = discoveries.map(({ mpxn }) => indexes.meterPointId(mpxn));
  const sealed = keys.map((key, index) =>
    key.encryptValue(discoveries[index]?.mpxn as string, boundTo(ids[index] as string)),
  );
  await session.query({
    ...STORE,
    values: [ids, keys.map(({ id }) => id), sealed, discoveries.map(({ recordedAt }) => recordedAt)],
  });
}

/** Associated data of an encrypted MPxN. */
export function boundTo(meterPointId: string): string {
  return `discovered_meter_point ${meterPointId}`;
}

/**
 * MPxNs of meter points with discovered access, which `access` stores by opaque id. They are evidence for the operator; the running
 * register does not read them.
 */
export class DiscoveredMeterPointRepository {
  constructor(private readonly dependencies: Pick<IdentityDependencies, 'database' | 'indexes' | 'occupancyKeys'>) {}

  /** Stores the MPxN under the key of the present occupancy; returns the opaque id of its meter point. */
  async store(mpxn: string): Promise<string> {
    const { database, indexes } = this.dependencies;
    await inTransaction(database.pool, (session) =>
      storeDiscoveries(session, this.dependencies, [{ mpxn, recordedAt: null }]),
    );
    return indexes.meterPointId(mpxn);
  }
}
