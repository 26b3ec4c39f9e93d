import { RegisterError } from '../../../schema/register-error';
import { fingerprintOf } from '../../server/audit/audit.repository';
import { type CallContext, actorOf } from '../../server/callers/caller';
import { outsideCheck } from '../../server/database/check-only';
import type { Database } from '../../server/database/database';
import { type IdentityRecord, isOwnedBy } from './identity-record';

/**
 * One entry an hour for each actor, action and record, so that repeated requests do not fill the audit, which is never deleted. The subject is
 * the fingerprint of the key.
 */
const ADD_ONCE = {
  name: 'add_rejected_identity_request',
  text: `insert into audit_entry (actor, action, subject, detail)
    select $1, $2, $3, '{}' where not exists (
      select from audit_entry where subject = $3 and actor = $1 and action = $2 and at > register_now() - interval '1 hour')`,
};

/** Rejects requests for Identity Records of other Data Users, and adds them to the audit (decisions A/B, 2). */
export class OwnRecords {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  /** Throws PRM002 unless the record with the key `ref` is the caller's own. The audit states a rejected check, too. */
  async require(
    record: Pick<IdentityRecord, 'duid'>,
    ref: string,
    context: CallContext,
    action: 'reject-identity-read' | 'reject-identity-change',
  ): Promise<void> {
    const { accountId, duid } = actorOf(context);
    if (isOwnedBy(record, duid)) return;
    const values = [accountId, action, fingerprintOf(ref)];
    await outsideCheck(() => this.database.pool.query({ ...ADD_ONCE, values }));
    throw new RegisterError('PRM002');
  }
}
