import type { Operations } from '../../../schema/generated/operations';
import { AUDIT_PATH } from '../audit/audit-list';
import { counted, utcDayAndTime } from '../format';
import { get } from '../page';
import { pageLinks, textOf, withQuery } from '../request/query';

const PATH = '/accounts';

/** Accounts per page. */
const LISTED_ACCOUNTS = 50;

/** Lists accounts, or those that match a text, for admins. */
export const accountsPage = get(PATH, async ({ executeAsAccount, query }) => {
  const [text, after] = [textOf(query['text']), textOf(query['after'])];
  const { accounts } = await executeAsAccount('ReadAccounts', {
    first: LISTED_ACCOUNTS,
    after: after ?? null,
    text: text ?? null,
  });
  return {
    view: 'accounts',
    model: {
      text,
      total: counted(accounts.totalCount),
      rows: accounts.nodes.map(rowOf),
      page: PATH,
      ...pageLinks(after, accounts.nextCursor, (cursor) => withQuery(PATH, { text, after: cursor })),
    },
  };
});

type Account = Operations['ReadAccounts']['result']['accounts']['nodes'][number];

function rowOf({ accountId, role, displayName, status, registeredAt, duid, mpid }: Account) {
  return {
    name: displayName,
    role: role.toLowerCase().replaceAll('_', ' '),
    status: status.toLowerCase(),
    registered: { at: registeredAt, written: utcDayAndTime(registeredAt) },
    ids: [accountId, duid, mpid].filter((id) => id !== null),
    audit: withQuery(AUDIT_PATH, { actor: accountId }),
    events: duid !== null && role === 'DATA_USER' ? withQuery('/', { duid }) : undefined,
  };
}
