import { Args, type ClassType, Query, Resolver } from 'type-graphql';
import { AUDIT_ACTIONS } from '../../../schema/audit-actions';
import { RegisterError } from '../../../schema/register-error';
import { MayCall } from '../callers/caller';
import { type Connection, connectionOf, rejectCursor, requirePageSize } from '../lists/connection';
import { connectionType } from '../lists/connection.types';
import type { AuditEntry, AuditLog } from './audit.repository';
import { AuditArgs, auditEntryType } from './audit.types';

const MAX_PAGE_SIZE = 500;
const ENTRY_ID = /^\d{1,18}$/;
const ACTIONS = Object.values(AUDIT_ACTIONS).flatMap((actions) => Object.keys(actions));

/** Throws VAL003 for an action that the audit of no service has. */
function requireAction(action: string): void {
  if (ACTIONS.includes(action)) return;
  const message = `is not an action of the audit. The actions are: ${ACTIONS.join(', ')}`;
  throw new RegisterError('VAL003', message, {
    violations: [{ code: 'VAL003', path: ['filter', 'action'], message }],
  });
}

/** Creates the query by which admins read the audit of a subgraph. */
export function auditResolver(
  field: string,
  type: string,
  description: string,
): ClassType<object> & (new (log: AuditLog) => object) {
  const EntryType = auditEntryType(type);
  const ConnectionType = connectionType(type, `${description} Newest first.`, () => EntryType);

  @Resolver()
  class AuditResolver {
    constructor(private readonly log: AuditLog) {}

    @MayCall('admin')
    @Query(() => ConnectionType, { name: field, description: `${description} Newest first.` })
    async entries(@Args(() => AuditArgs) { filter, ...page }: AuditArgs): Promise<Connection<AuditEntry>> {
      requirePageSize(page.first, MAX_PAGE_SIZE);
      if (page.after !== null && !ENTRY_ID.test(page.after)) rejectCursor();
      if (filter?.action != null) requireAction(filter.action);
      return connectionOf(await this.log.entries(page.first + 1, page.after, filter ?? {}), page, ({ id }) => id);
    }
  }
  return AuditResolver;
}
