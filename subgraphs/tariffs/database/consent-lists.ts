import {
  type Connection,
  type PageRequest,
  connectionOf,
  cursorOf,
  cursorPosition,
  instantText,
} from '../../server/connection';
import type { Database } from '../../server/database';
import { rowsByKey } from '../../server/rows-by-key';
import type { ConsentEnd } from '../domain/consent-end';
import type { MpxnVault } from './mpxn-vault';

/** Which consents: all conditions hold, those that are null or left out do not count. */
export interface ConsentFilter {
  readonly mpid?: string | null;
  readonly userId?: string | null;
  readonly live?: boolean | null;
}

/** A consent as it was given, and when it ended. */
export interface StoredConsent {
  readonly registrationId: string;
  readonly mpid: string;
  readonly userId: string;
  readonly givenAt: Date;
  readonly revokedAt: Date | null;
  readonly revokedBy: ConsentEnd | null;
}

type ListedConsent = StoredConsent & { readonly instant: string };

/** A statement for each filter, so that each keeps a plan of its own index. */
function pageStatement({ mpid, userId }: ConsentFilter) {
  const conditions = [
    mpid == null ? '$5::text is null' : 'mpid = $5',
    userId == null ? '$6::text is null' : 'user_id = $6',
    '($4::boolean is null or (revoked_at is null) = $4)',
  ];
  return {
    name: ['tariff_consents', mpid && 'of_supplier', userId && 'of_rti_user'].filter(Boolean).join('_'),
    text: `select id as "registrationId", mpid, user_id as "userId", given_at as "givenAt", revoked_at as "revokedAt",
        revoked_by as "revokedBy", ${instantText('given_at')} as instant
      from tariff_consent where (given_at, id) < ($1::timestamptz, $2::uuid) and ${conditions.join(' and ')}
      order by given_at desc, id desc limit $3`,
  };
}

const MPXNS = {
  name: 'mpxns_of_tariff_consents',
  text: `select consent_id as "consentId", mpxn_hash as hash, mpxn_sealed as sealed from consent_meter_point join meter_point using (mpxn_hash)
    where consent_id = any($1::uuid[]) order by added_at, mpxn_hash`,
};

/** Consents, the last one given first. */
export class ConsentLists {
  private readonly sealedOf: (id: string) => Promise<readonly { hash: Buffer; sealed: Buffer }[]>;

  constructor(
    private readonly database: Pick<Database, 'pool' | 'reads'>,
    private readonly mpxns: Pick<MpxnVault, 'open'>,
  ) {
    type Row = { readonly consentId: string; readonly hash: Buffer; readonly sealed: Buffer };
    this.sealedOf = rowsByKey(database.reads, MPXNS, ({ consentId }: Row) => [consentId] as const);
  }

  /** A page of them. */
  async page(filter: ConsentFilter, page: PageRequest): Promise<Connection<StoredConsent>> {
    const { mpid = null, userId = null, live = null } = filter;
    const values = [...cursorPosition(page.after), page.first + 1, live, mpid, userId];
    const { rows } = await this.database.pool.query<ListedConsent>({ ...pageStatement(filter), values });
    const cursor = ({ instant, registrationId }: ListedConsent) => cursorOf([instant, registrationId]);
    return connectionOf(rows, page, cursor);
  }

  /** The MPxNs that a consent covers. */
  async mpxnsOf(registrationId: string): Promise<string[]> {
    return (await this.sealedOf(registrationId)).map((stored) => this.mpxns.open(stored));
  }
}
