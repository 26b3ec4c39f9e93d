import type { Database } from '../../server/database';
import type { RegisterEntryStatus } from '../domain/register-entry-status';
import type { ConsumerToken } from './unverified-token';

/** What the register knows of those whom a token names, at this instant. */
export interface ConsumerStanding {
  /** The supplier whose issuer and audience the token names. */
  readonly mpid: string;
  readonly audience: string;
  readonly supplierStatus: RegisterEntryStatus;
  /** Null when no RTI User has this id. */
  readonly userStatus: RegisterEntryStatus | null;
  /** The register's clock: whether the token has expired is decided by it. */
  readonly now: Date;
}

const STANDING = {
  name: 'consumer_standing',
  text: `select mpid, audience, supplier.status as "supplierStatus", rti_user.status as "userStatus", register_now() as now
    from supplier left join rti_user on user_id = $3
    where issuer = $1 and audience = any($2) and supplier.status <> 'removed'`,
};

/** Suppliers and RTI Users as tokens name them: read at every request, never cached. */
export class ConsumerStandingRepository {
  constructor(private readonly database: Pick<Database, 'reads'>) {}

  /** Undefined when no supplier has this issuer and audience, or several have one of the audiences. */
  async of({ issuer, audiences, userId }: ConsumerToken): Promise<ConsumerStanding | undefined> {
    const rows = await this.database.reads.rows<ConsumerStanding>(STANDING, [issuer, audiences, userId]);
    return rows.length === 1 ? rows[0] : undefined;
  }
}
