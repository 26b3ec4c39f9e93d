import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { AuditAction } from '../../../schema/audit-actions';
import type { Session } from '../database/transaction';

/** A change of trust to add to the audit. */
export interface AuditedChange {
  /**
   * Account or RTI User that acts; `customer`, `operator`, `register` and `restore` for a customer, a command, a job and a restore, which have
   * no account.
   */
  readonly actor: string;
  readonly action: AuditAction;
  /** Identifier of the changed object. */
  readonly subject: string;
  /** Former and new values: no secrets and no personal data. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A stored entry of the audit. */
export interface AuditEntry extends Omit<AuditedChange, 'action'> {
  readonly id: string;
  readonly at: Date;
  /** Name of the action; an earlier or later release may have others than this one. */
  readonly action: string;
}

/** Columns of an entry that its writer states; the database sets the others: the position and the instant. */
export const AUDIT_COLUMNS = 'actor, action, subject, detail';

const ADD = {
  name: 'add_audit_entry',
  text: `insert into audit_entry (${AUDIT_COLUMNS}) values ($1, $2, $3, $4)`,
};

/** Selects entries: all conditions must hold; null and absent ones are ignored. */
export interface AuditFilter {
  readonly action?: string | null;
  readonly actor?: string | null;
}

/** Each combination of conditions has its own statement, so that PostgreSQL can use the index of each. */
const pageOf = (by: string, condition: string) => ({
  name: `audit_entries${by}`,
  text: `select id, at, actor, action, subject, detail from audit_entry
    where ($2::bigint is null or id < $2)${condition} order by id desc limit $1`,
});
const PAGE = pageOf('', '');
const PAGE_OF_ACTION = pageOf('_of_action', ' and action = $3');
const PAGE_OF_ACTOR = pageOf('_of_actor', ' and actor = $3');
const PAGE_OF_BOTH = pageOf('_of_action_and_actor', ' and action = $3 and actor = $4');

/** Returns a fingerprint of a random key, by which a key that is shown can be compared with the audit. */
export function fingerprintOf(key: string | Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

/** Adds a change to the audit, in the transaction that makes the change. */
export async function addAuditEntry(
  session: Session,
  { actor, action, subject, detail }: AuditedChange,
): Promise<void> {
  await session.query({ ...ADD, values: [actor, action, subject, detail] });
}

/** Reads the audit of a subgraph. */
export class AuditLog {
  constructor(private readonly pool: Pool) {}

  /** Returns entries before an id that match a filter, newest first. */
  async entries(first: number, before: string | null, { action, actor }: AuditFilter): Promise<AuditEntry[]> {
    const [byAction, byActor] = [action != null, actor != null];
    const page = byAction ? (byActor ? PAGE_OF_BOTH : PAGE_OF_ACTION) : byActor ? PAGE_OF_ACTOR : PAGE;
    const conditions = [action, actor].filter((condition) => condition != null);
    return (await this.pool.query<AuditEntry>({ ...page, values: [first, before, ...conditions] })).rows;
  }
}
