import type { Connection, PageRequest } from '../../server/lists/connection';
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
  text: `select consent_id as "consentId", covered.mpxn_hash as "mpxnHash", ${STORED_MPXN_COLUMNS}
    from consent_meter_point covered ${storedMpxn('covered.mpxn_hash', 'covered.covered_at')}
    where consent_id = any($1::uuid[]) order by added_at, mpxn_hash`,
};

/** Reads consents, the latest first. */
export class ConsentQueries {
  private readonly storedMpxnsOf: (registrationId: string) => Promise<readonly StoredMpxn[]>;

  constructor(
    private readonly database: Pick<Database, 'pool'>,
    private readonly mpxns: Pick<MpxnCipher, 'decrypt'>,
  ) {
    type Row = StoredMpxn & { readonly consentId: string };
    this.storedMpxnsOf = rowsByKey(longReads(database), MPXNS, ({ consentId }: Row) => [consentId] as const);
  }

  /** Returns the page after a cursor. */
  page(filter: ConsentFilter, page: PageRequest): Promise<Connection<StoredConsent>> {
    const { mpid = null, userId = null, live = null } = filter;
    return newestFirst(this.database.pool, listOf(filter), [live, mpid, userId], page, (row: StoredConsent) => row);
  }

  /**
   * Returns the MPxNs of a consent; null for each whose occupancy was erased. A consent of a business may cover thousands: other requests
   * do not wait while they are decrypted.
   */
  async mpxnsOf(registrationId: string): Promise<(string | null)[]> {
    const mpxns: (string | null)[] = [];
    await inSlices(await this.storedMpxnsOf(registrationId), (stored) => mpxns.push(this.mpxns.decrypt(stored)));
    return mpxns;
  }
}
