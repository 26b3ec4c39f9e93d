import type { Database } from '../../server/database';
import { type TariffStep, appliedTariff } from '../domain/applied-tariff';
import { tariffLinks } from './tariff-links';

/** What applies to an MPxN at an instant. */
export interface AppliedTariff {
  readonly mpxnHash: Buffer;
  readonly tariffId: string;
  /** The supplier. */
  readonly mpid: string;
}

interface AskedStep extends TariffStep {
  readonly mpxnHash: Buffer;
  readonly at: Date;
}

/** The newest step of each MPxN at the instant, which is now when none is given. */
const STEPS = {
  name: 'applied_steps',
  text: `select asked.hash as "mpxnHash", asked.at, step.valid_from as "validFrom", step.tariff_id as "tariffId", step.mpid
    from (select hash, coalesce($2::timestamptz, register_now()) as at from unnest($1::bytea[]) hash) asked
    cross join lateral (
      select valid_from, tariff_id, mpid from tariff_step
      where mpxn_hash = asked.hash and withdrawn_at is null and valid_from <= asked.at order by valid_from desc limit 1
    ) step`,
};

/** Which tariff applies to MPxNs: nothing is kept of it, so that it is right at every instant. */
export class AppliedTariffs {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** The tariffs that apply to MPxNs at an instant, now when it is null; of MPxNs without one there is nothing. */
  async at(mpxnHashes: readonly Buffer[], at: Date | null): Promise<AppliedTariff[]> {
    if (mpxnHashes.length === 0) return [];
    const { pool } = this.database;
    const { rows: steps } = await pool.query<AskedStep>({ ...STEPS, values: [mpxnHashes, at] });
    const links = await tariffLinks(
      pool,
      steps.flatMap(({ tariffId }) => tariffId ?? []),
    );
    return steps.flatMap((step) => {
      const tariffId = appliedTariff([step], links, step.at);
      return tariffId === null ? [] : [{ mpxnHash: step.mpxnHash, tariffId, mpid: step.mpid }];
    });
  }
}
