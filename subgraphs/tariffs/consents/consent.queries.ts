import { throwViolations } from '../../../schema/register-error';
import { type Connection, type PageRequest, rangeViolations } from '../../server/lists/connection';
import { offsetViolations } from '../../server/lists/offset-page';
import { newestFirst } from '../../server/lists/paged-list';
import type { Database } from '../../server/database/database';
import { longReads, rowsByKey } from '../../server/database/rows-by-key';
import { inSlices } from '../../server/in-slices';
import type { MpxnCipher, StoredMpxn } from '../occupancies/mpxn-cipher.repository';
import { STORED_MPXN_COLUMNS, storedMpxn } from '../occupancies/tariff-occupancies.sql';
import type { StoredConsent } from './consent';

/** A filter of consents: all conditions must hold; null and absent ones are ignored. */
export interface ConsentFilter {
  readonly mpid?: string | null;
  readonly userId?: string | null;
  readonly live?: boolean | null;
}

/** Returns a list per combination of conditions, so that each has a plan with its own index. */
function listOf({ mpid, userId }: ConsentFilter) {
  const conditions = [
    mpid == null ? '$2::text is null' : 'mpid = $2',
    userId == null ? '$3::text is null' : 'user_id = $3',
    '($1::boolean is null or (revoked_at is null) = $1)',
  ];
  return {
    name: ['tariff_consents', mpid && 'of_supplier', userId && 'of_rti_user'].filter(Boolean).join('_'),
    columns: `id as "registrationId", mpid, user_id as "userId", given_at as "givenAt", revoked_at as "revokedAt",
      revoked_by as "revokedBy"`,
    from: 'tariff_consent',
    where: conditions.join(' and '),
    instant: 'given_at',
    id: 'id',
  };
}

const MPXNS = {
  name: 'mpxns_of_tariff_consents',
  text: `select requested.consent_id as "consentId", requested.first, requested.skipped, covered.mpxn_hash as "mpxnHash", ${STORED_MPXN_COLUMNS}
    from unnest($1::uuid[], $2::int[], $3::int[]) requested (consent_id, first, skipped)
    cross join lateral (
      select mpxn_hash, added_at, covered_at from consent_meter_point point where point.consent_id = requested.consent_id
      order by added_at, mpxn_hash limit requested.first offset requested.skipped) covered
    ${storedMpxn('covered.mpxn_hash', 'covered.covered_at')}
    order by covered.added_at, covered.mpxn_hash`,
};

/** A part of the MPxNs of a consent: at most `first`, after as many as `offset`. */
interface MpxnsRequest {
  readonly first: number;
  readonly offset: number;
}

const MAX_MPXNS = 500;

/** Reads consents, the latest first. */
export class ConsentQueries {
  private readonly storedMpxnsOf: (consentId: string, first: number, skipped: number) => Promise<readonly StoredMpxn[]>;

  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly mpxns: Pick<MpxnCipher, 'decrypt'>,
  ) {
    type Row = StoredMpxn & { readonly consentId: string; readonly first: number; readonly skipped: number };
    this.storedMpxnsOf = rowsByKey(
      longReads(database),
      MPXNS,
      ({ consentId, first, skipped }: Row): [string, number, number] => [consentId, first, skipped],
    );
  }

  /** Returns the page after a cursor. */
  page(filter: ConsentFilter, page: PageRequest): Promise<Connection<StoredConsent>> {
    const { mpid = null, userId = null, live = null } = filter;
    return newestFirst(this.database.pool, listOf(filter), [live, mpid, userId], page, (row: StoredConsent) => row);
  }

  /**
   * Returns MPxNs of a consent, in the order in which they were added; null for each whose occupancy was erased. Other requests do not wait while
   * they are decrypted. Throws VAL003 unless `first` is 1 to 500 and `offset` 0 or more.
   */
  async mpxnsOf(registrationId: string, { first, offset }: MpxnsRequest): Promise<(string | null)[]> {
    throwViolations([...rangeViolations('first', first, MAX_MPXNS), ...offsetViolations(offset)]);
    const mpxns: (string | null)[] = [];
    const stored = await this.storedMpxnsOf(registrationId, first, offset);
    await inSlices(stored, (each) => mpxns.push(this.mpxns.decrypt(each)));
    return mpxns;
  }
}
