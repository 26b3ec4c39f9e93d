import { AUDIT_ACTIONS, type AuditService } from '../../../schema/audit-actions';
import { utcDayAndTime } from '../format';
import type { PageContext } from '../page';
import { pageLinks, textOf, withQuery } from '../request/query';
import { accountNames } from './account-names';
import { AUDIT_SERVICES, FIRST_PAGE, type AuditCursor, auditCursorOf, textOfCursor } from './audit-cursor';
import { statedValues } from './audit-detail';
import { type ListedEntry, mergedPage } from './audit-merge';

/** The path of the page. */
export const AUDIT_PATH = '/audit';

/** Entries per page. */
export const LISTED_ENTRIES = 50;

const AREAS: Readonly<Record<AuditService, string>> = {
  access: 'Accounts, webhooks and clock',
  tariffs: 'Suppliers, RTI Users and tariffs',
  identity: 'Identity Records',
};

/** Descriptions of all actions. */
const KINDS: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(AUDIT_ACTIONS));

/** Selects the entries of the list. */
interface ChosenAudit {
  readonly kind: string | undefined;
  /** The requested kind if it does not exist: the list has all kinds, and the page shows an error. */
  readonly unknownKind: string | undefined;
  readonly actor: string | undefined;
}

/** Reads the filter from a query string. */
export function chosenAudit({ kind, actor }: Readonly<Record<string, unknown>>): ChosenAudit {
  const action = textOf(kind);
  const isKnown = action !== undefined && Object.hasOwn(KINDS, action);
  return { kind: isKnown ? action : undefined, unknownKind: isKnown ? undefined : action, actor: textOf(actor) };
}

/** Returns the kinds that the form offers, by area. */
export function offeredKinds({ kind }: ChosenAudit) {
  return AUDIT_SERVICES.map((service) => ({
    name: AREAS[service],
    kinds: Object.entries(AUDIT_ACTIONS[service]).map(([value, label]) => ({ value, label, isChosen: value === kind })),
  }));
}

/** Reads a page of the audits of all services that match a filter, newest first. */
export async function readAudit(context: Pick<PageContext, 'executeAsAccount' | 'query'>, chosen: ChosenAudit) {
  const { kind, actor } = chosen;
  const cursor = auditCursorOf(context.query['after']);
  const pages = await context.executeAsAccount('ReadAudit', {
    first: LISTED_ENTRIES,
    filter: { action: kind ?? null, actor: actor ?? null },
    afterAccess: cursor.access,
    afterTariffs: cursor.tariffs,
    afterIdentity: cursor.identity,
  });
  const { entries, next } = mergedPage(pages, cursor, LISTED_ENTRIES);
  const names = await accountNames(
    context,
    entries.flatMap((entry) => [entry.actor, entry.subject]),
  );
  const address = (after?: AuditCursor) => withQuery(AUDIT_PATH, { kind, actor, after: after && textOfCursor(after) });
  const isFirst = textOfCursor(cursor) === textOfCursor(FIRST_PAGE);
  return {
    rows: entries.map((entry) => rowOf(entry, chosen, names)),
    ...pageLinks(isFirst ? undefined : cursor, next, address),
  };
}

function rowOf(
  { service, id, at, actor, action, subject, detail }: ListedEntry,
  { kind }: ChosenAudit,
  names: ReadonlyMap<string, string>,
) {
  return {
    key: `${service} ${id}`,
    kind: KINDS[action] ?? action,
    time: { at, written: utcDayAndTime(at) },
    actor: { id: actor, name: names.get(actor), address: withQuery(AUDIT_PATH, { kind, actor }) },
    subject: { id: subject, name: names.get(subject) },
    values: statedValues(detail),
  };
}
