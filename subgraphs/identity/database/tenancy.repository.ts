import type { Database } from '../../server/database';
import type { TenancyChange } from '../domain/occupancy';
import type { BlindIndexes } from './blind-index';
import { TODAY, type TenancyChangeRow, changesOf, effectiveChanges } from './tenancy-changes';

/** Whose home a meter point was: the effective Changes of Tenancy, the earliest first, and the present day. */
export interface Tenancy {
  readonly changes: readonly TenancyChange[];
  /** The present day in Great Britain, `YYYY-MM-DD`. */
  readonly today: string;
}

const TENANCY = {
  name: 'tenancy_by_mpxn',
  text: `select to_char(${TODAY}, 'YYYY-MM-DD') as today, ${effectiveChanges('$1')} as changes`,
};

/** Changes of Tenancy as recorded at a meter point. */
export class TenancyRepository {
  constructor(
    private readonly database: Database,
    private readonly indexes: BlindIndexes,
  ) {}

  /** Whose home a meter point was until now. */
  async at(mpxn: string): Promise<Tenancy> {
    type Row = { readonly today: string; readonly changes: readonly TenancyChangeRow[] };
    const [row] = await this.database.reads.rows<Row>(TENANCY, [this.indexes.mpxn(mpxn)]);
    const { today, changes } = row as Row;
    return { today, changes: changesOf(changes) };
  }
}
