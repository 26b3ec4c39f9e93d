import type { Database } from '../../server/database/database';
import type { RegisterEntryStatus } from '../register-entries/register-entry-status';
import type { ConsumerToken } from './unverified-token.flow';

/** Statuses of the supplier and the RTI User that a token names, read at one instant. */
export interface ConsumerStatus {
  /** The supplier whose issuer and audience the token names. */
  readonly mpid: string;
  readonly audience: string;
  readonly supplierStatus: RegisterEntryStatus;
  /** Null if no RTI User has the id. */
  readonly userStatus: RegisterEntryStatus | null;
  /** The register's clock, which decides whether the token has expired. */
  readonly now: Date;
}

const STATUS = {
  name: 'consumer_status',
  text: `select mpid, audience, supplier.status as "supplierStatus", rti_user.status as "userStatus", register_now() as now
    from supplier left join rti_user on user_id = $3
    where issuer = $1 and audience = any($2) and supplier.status <> 'removed'`,
};

/** Reads the supplier and the RTI User that a token names, for every request; nothing is cached. */
export class ConsumerStatusQueries {
  constructor(private readonly database: Pick<Database, 'reads'>) {}

  /** Returns undefined if no supplier has the issuer and one of the audiences, or if several have. */
  async of({ issuer, audiences, userId }: ConsumerToken): Promise<ConsumerStatus | undefined> {
    const rows = await this.database.reads.rows<ConsumerStatus>(STATUS, [issuer, audiences, userId]);
    return rows.length === 1 ? rows[0] : undefined;
  }
}
