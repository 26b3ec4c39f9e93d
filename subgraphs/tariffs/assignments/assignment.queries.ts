import type { Connection, PageRequest } from '../../server/lists/connection';
import { newestFirst } from '../../server/lists/paged-list';
import type { Database } from '../../server/database/database';
import { tariffLinks } from '../catalogue/tariff-links.queries';
import type { MpxnCipher } from '../occupancies/mpxn-cipher.repository';
import { appliedTariff } from './applied-tariff';
import type { RecordedAssignment } from './assignment-history';
import { NEWEST_STEP } from './assignments.sql';

/** An assignment as stored. */
export interface StoredAssignment extends RecordedAssignment {
  readonly id: string;
  readonly mpxn: string;
}

/** A row of `tariff_step`, which has the MPxN as a hash only. */
export type AssignmentRow = Omit<StoredAssignment, 'mpxn'>;

/** SQL: the columns of {@link AssignmentRow}. */
export const ASSIGNMENT_COLUMNS =
  'id, valid_from as "validFrom", tariff_id as "tariffId", mpid, recorded_at as "recordedAt"';

/** At one instant the assignment is later than the ends, as in `NEWEST_STEP`. */
const OF_MPXN = {
  name: 'assignments_of_mpxn',
  columns: ASSIGNMENT_COLUMNS,
  from: 'tariff_step',
  where: 'mpxn_hash = $1 and withdrawn_at is null and ($2::text is null or mpid = $2)',
  instant: 'valid_from',
  id: `((tariff_id is not null)::int || '_' || id) collate "C"`,
  textId: /^[01]_[0-9a-f-]{36}$/,
};

/** The assignment or end of the MPxN that counts at the instant `$2`; null means now. */
const NEWEST = {
  name: 'newest_assignment',
  text: `select instant.at, newest.valid_from as "validFrom", newest.tariff_id as "tariffId", newest.mpid,
      newest.recorded_at as "recordedAt"
    from (select coalesce($2::timestamptz, register_now()) as at) instant cross join lateral (
      select valid_from, tariff_id, mpid, recorded_at from tariff_step
      where mpxn_hash = $1 and withdrawn_at is null and valid_from <= instant.at and ${NEWEST_STEP}) newest`,
};

/** Reads the assignments of MPxNs, without withdrawn ones. The applied tariff is computed at each call, so that it is exact at any time. */
export class AssignmentQueries {
  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly mpxns: MpxnCipher,
  ) {}

  /** Returns a page of the assignments of an MPxN, the last one first; with `mpid`, only those of that supplier. */
  page(mpxn: string, mpid: string | null, page: PageRequest): Promise<Connection<StoredAssignment>> {
    const values = [this.mpxns.hash(mpxn), mpid];
    return newestFirst(this.database.pool, OF_MPXN, values, page, (row: AssignmentRow) => ({ ...row, mpxn }));
  }

  /** Returns the tariff that applies to an MPxN at an instant (null: now), and its supplier; undefined if none applies. */
  async applied(mpxn: string, at: Date | null): Promise<{ tariffId: string; mpid: string } | undefined> {
    const { pool } = this.database;
    const values = [this.mpxns.hash(mpxn), at];
    const [newest] = (await pool.query<RecordedAssignment & { at: Date }>({ ...NEWEST, values })).rows;
    if (newest?.tariffId == null) return undefined;
    const tariffId = appliedTariff([newest], await tariffLinks(pool, [newest.tariffId]), newest.at);
    return tariffId === null ? undefined : { tariffId, mpid: newest.mpid };
  }
}
