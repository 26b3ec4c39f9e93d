import type { Database } from '../../server/database/database';
import { fingerprintOf } from '../../server/audit/audit.repository';

/** One entry an hour for each actor and record, so that repeated requests do not fill the audit, which is never deleted. */
const ADD_ONCE = {
  name: 'add_rejected_identity_read',
  text: `insert into audit_entry (actor, action, subject, detail)
    select $1, 'reject-identity-read', $2, '{}' where not exists (
      select from audit_entry
      where subject = $2 and actor = $1 and action = 'reject-identity-read' and at > register_now() - interval '1 hour')`,
};

/** Adds rejected reads of Identity Records to the audit (decisions A/B, 2). */
export class RejectedReads {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** States that an account presented the key of a record that is not its own; the subject is the fingerprint of the key. */
  async add(actor: string, ref: string): Promise<void> {
    await this.database.pool.query({ ...ADD_ONCE, values: [actor, fingerprintOf(ref)] });
  }
}
