import { AUDIT_ACTIONS, type AuditService } from '../../../schema/audit-actions';
import { ACCOUNT_ID_PATTERN, DUID_PATTERN, MPID_PATTERN } from '../../../schema/identifiers';
import { utcDayAndTime } from '../format';
import type { PageContext } from '../page';
import { pageLinks, textOf, withQuery } from '../request/query';
import { statedValues } from './audit-detail';
import {
  AUDIT_SERVICES,
  type AuditCursor,
  FIRST_PAGE,
  type ListedEntry,
  auditCursorOf,
  mergedPage,
  textOfCursor,
} from './audit-merge';

/** The path of the page. */
export const AUDIT_PATH = '/audit';

/** Entries per page. */
export const LISTED_ENTRIES = 50;

const AREAS: Readonly<Record<AuditService, string>> = {
  access: 'Accounts, webhooks and clock',
  tariffs: 'Suppliers, RTI Users and tariffs',
  identity: 'Identity Records',
  gridModels: 'Grid models',
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
    afterGridModels: cursor.gridModels,
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

/** Identifiers of accounts: the audit also contains those of other objects, and words such as `register`. */
const IDS = [ACCOUNT_ID_PATTERN, DUID_PATTERN, MPID_PATTERN];

/** Returns the names of accounts by each of their identifiers. Other texts among the given ones have no name. */
async function accountNames(
  { executeAsAccount }: Pick<PageContext, 'executeAsAccount'>,
  texts: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(texts)].filter((text) => IDS.some((pattern) => pattern.test(text)));
  if (ids.length === 0) return new Map();
  const { accounts } = await executeAsAccount('ReadAccountNames', { first: ids.length, ids });
  return new Map(
    accounts.nodes.flatMap(({ accountId, duid, mpid, displayName }) =>
      [accountId, duid, mpid].flatMap((id): [string, string][] => (id === null ? [] : [[id, displayName]])),
    ),
  );
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
