import { addAuditEntry, fingerprintOf } from '../../server/audit/audit.repository';
import type { Session } from '../../server/database/transaction';
import { assignmentAt } from './applied-tariff';
import type { Assignment } from './assignment-history';
import type { AssignmentOutcome } from './assignment-rules';
import type { AssignmentRow } from './assignment.queries';

/** An assignment, or an end, that an admin has recorded. */
interface RecordedByAdmin {
  readonly accountId: string;
  /** Steps of the MPxN before it. */
  readonly assignments: readonly AssignmentRow[];
  readonly stored: AssignmentRow;
  readonly outcome: AssignmentOutcome<AssignmentRow>;
}

/**
 * Adds an admin's assignment to the audit: what was assigned at its instant before, and the planned steps that it withdraws. The subject is a
 * keyed fingerprint of the MPxN.
 */
export async function auditAssignment(
  session: Session,
  mpxnHash: Buffer,
  { accountId: actor, assignments, stored, outcome }: RecordedByAdmin,
): Promise<void> {
  const former = assignmentAt(assignments, stored.validFrom);
  const withdrawn = outcome.kind === 'supersedes' ? outcome.superseded.map(written) : [];
  const detail = { from: former === undefined ? null : audited(former), to: audited(stored), withdrawn };
  const action = stored.tariffId === null ? 'end-tariff-assignment' : 'assign-tariff';
  await addAuditEntry(session, { actor, action, subject: fingerprintOf(mpxnHash), detail });
}

function audited({ mpid, tariffId, validFrom }: Assignment): Assignment {
  return { mpid, tariffId, validFrom };
}

function written({ mpid, tariffId, validFrom }: Assignment): string {
  return `${mpid} ${tariffId ?? 'end'} ${validFrom.toISOString()}`;
}
