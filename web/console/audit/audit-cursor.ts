import { AUDIT_ACTIONS, type AuditService } from '../../../schema/audit-actions';
import { textOf } from '../request/query';

/** The services that store an audit. */
export const AUDIT_SERVICES = Object.keys(AUDIT_ACTIONS) as readonly AuditService[];

/** For each service the id of the last entry on the pages before; null if none of its entries is on them. */
export type AuditCursor = Readonly<Record<AuditService, string | null>>;

/** The cursor of the first page. */
export const FIRST_PAGE: AuditCursor = { access: null, tariffs: null, identity: null };

const CURSOR = /^(\d{1,18})?\.(\d{1,18})?\.(\d{1,18})?$/;

/** Reads a cursor from a query parameter; any other text is the first page. */
export function auditCursorOf(after: unknown): AuditCursor {
  const [, ...ids] = CURSOR.exec(textOf(after) ?? '') ?? [];
  const cursor = AUDIT_SERVICES.map((service, index) => [service, ids[index] ?? null] as const);
  return Object.fromEntries(cursor) as Record<AuditService, string | null>;
}

/** Writes a cursor as a query parameter. */
export function textOfCursor(cursor: AuditCursor): string {
  return AUDIT_SERVICES.map((service) => cursor[service] ?? '').join('.');
}
