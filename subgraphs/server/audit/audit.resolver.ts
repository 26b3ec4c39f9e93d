import { Args, type ClassType, Query, Resolver } from 'type-graphql';
import { MayCall } from '../callers/caller';
import { type Connection, connectionOf, rejectCursor, requirePageSize } from '../lists/connection';
import { connectionType } from '../lists/connection.types';
import type { AuditEntry, AuditLog } from './audit.repository';
import { AuditArgs, auditEntryType } from './audit.types';

const MAX_PAGE_SIZE = 500;
const ENTRY_ID = /^\d{1,18}$/;

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
      return connectionOf(await this.log.entries(page.first + 1, page.after, filter ?? {}), page, ({ id }) => id);
    }
  }
  return AuditResolver;
}
