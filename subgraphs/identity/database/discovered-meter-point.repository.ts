import { seal } from '../../server/sealed';
import type { Foundation } from '../foundation';

const KEEP = {
  name: 'keep_discovered_meter_point',
  text: 'insert into discovered_meter_point (meter_point_id, sealed) values ($1, $2) on conflict do nothing',
};

/**
 * Which MPxN the meter points have at which access was discovered: `access` knows them by opaque ids only. Kept as the operator's
 * evidence; nothing reads it while the register runs.
 */
export class DiscoveredMeterPointRepository {
  constructor(private readonly foundation: Pick<Foundation, 'database' | 'indexes' | 'keys'>) {}

  /** Keeps the MPxN, sealed; the opaque id of its meter point. */
  async keep(mpxn: string): Promise<string> {
    const { database, indexes, keys } = this.foundation;
    const meterPointId = indexes.meterPointId(mpxn);
    const sealed = seal(keys.encryptionKey, mpxn, `discovered_meter_point ${meterPointId}`);
    await database.pool.query({ ...KEEP, values: [meterPointId, sealed] });
    return meterPointId;
  }
}
