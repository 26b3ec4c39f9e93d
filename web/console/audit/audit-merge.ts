import { AUDIT_ACTIONS, type AuditService } from '../../../schema/audit-actions';
import type { Operations } from '../../../schema/generated/operations';
import { textOf } from '../request/query';

/** The services that store an audit. */
export const AUDIT_SERVICES = Object.keys(AUDIT_ACTIONS) as readonly AuditService[];

/** For each service the id of the last entry on the pages before; null if none of its entries is on them. */
export type AuditCursor = Readonly<Record<AuditService, string | null>>;

/** The cursor of the first page. */
export const FIRST_PAGE: AuditCursor = { access: null, tariffs: null, identity: null, gridModels: null };

const CURSOR = new RegExp(`^${AUDIT_SERVICES.map(() => '(\\d{1,18})?').join('\\.')}$`);

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

/** Pages of the audits of all services after a cursor. */
export type AuditPages = Operations['ReadAudit']['result'];

/** An entry with the service that stores it. */
export type ListedEntry = AuditPages[AuditService]['nodes'][number] & { readonly service: AuditService };

/** Merges the newest entries of all services. Entries of one service stay in their order, also where the clock was moved. */
export function mergedPage(pages: AuditPages, cursor: AuditCursor, size: number) {
  const remaining = new Map(AUDIT_SERVICES.map((service) => [service, [...pages[service].nodes]]));
  const last: Record<AuditService, string | null> = { ...cursor };
  const entries: ListedEntry[] = [];
  while (entries.length < size) {
    const entry = newestOf(remaining);
    if (entry === undefined) break;
    entries.push(entry);
    last[entry.service] = entry.id;
    remaining.get(entry.service)?.shift();
  }
  const hasNext = AUDIT_SERVICES.some(
    (service) => (remaining.get(service) ?? []).length > 0 || pages[service].nextCursor !== null,
  );
  return { entries, next: hasNext ? last : undefined };
}

/** Returns the newest of the first entries; undefined if there is none. */
function newestOf(remaining: ReadonlyMap<AuditService, readonly Omit<ListedEntry, 'service'>[]>) {
  let newest: ListedEntry | undefined;
  for (const [service, [entry]] of remaining)
    if (entry !== undefined && (newest === undefined || Date.parse(entry.at) > Date.parse(newest.at)))
      newest = { ...entry, service };
  return newest;
}
