import {
  type AuditPages,
  FIRST_PAGE,
  auditCursorOf,
  mergedPage,
  textOfCursor,
} from '../../../web/console/audit/audit-merge';
import { statedValues } from '../../../web/console/audit/audit-detail';

const entry = (id: number, minute: number) => ({
  ...{ id: String(id), at: `2026-11-23T10:${String(minute).padStart(2, '0')}:00.000Z` },
  ...{ actor: 'acc_1', action: 'set', subject: 'acc_2', detail: {} },
});

/** The audits of all services: ids and minutes, newest first. */
const LOGS = {
  access: [entry(5, 50), entry(4, 30), entry(2, 31), entry(1, 10)], // the clock was moved back before entry 4
  tariffs: [entry(9, 40), entry(8, 20)],
  identity: [entry(1, 45)],
  gridModels: [entry(3, 35)],
};

/** Returns what the services respond to a cursor. */
function pagesAfter(cursor: ReturnType<typeof auditCursorOf>, size: number): AuditPages {
  const pages = Object.entries(LOGS).map(([service, log]) => {
    const before = cursor[service as keyof typeof LOGS];
    const rest = before === null ? log : log.filter(({ id }) => Number(id) < Number(before));
    const nodes = rest.slice(0, size);
    return [service, { nodes, nextCursor: rest.length > size ? (nodes.at(-1)?.id ?? null) : null }];
  });
  return Object.fromEntries(pages) as AuditPages;
}

describe('The merged audit', () => {
  it.each([1, 2, 3, 7, 20])('lists every entry once, newest first, by pages of %d', (size) => {
    const listed: string[] = [];
    let cursor: ReturnType<typeof auditCursorOf> | undefined = FIRST_PAGE;
    while (cursor !== undefined) {
      const page = mergedPage(pagesAfter(cursor, size), cursor, size);
      expect(page.entries.length).toBeGreaterThan(0);
      listed.push(...page.entries.map(({ service, id }) => `${service} ${id}`));
      cursor = page.next && auditCursorOf(textOfCursor(page.next));
    }
    const expected = [
      'access 5',
      'identity 1',
      'tariffs 9',
      'gridModels 3',
      'access 4',
      'access 2',
      'tariffs 8',
      'access 1',
    ];
    expect(listed).toEqual(expected);
  });

  it.each(['', 'x', '1', '1.2.3', '1.2.3.4.5', 'a.b.c.d', `${'9'.repeat(19)}...`, ['1.2.3.4']])(
    'starts at the first page for the cursor %j',
    (after) => expect(auditCursorOf(after)).toEqual(FIRST_PAGE),
  );
});

describe('The values of an entry', () => {
  const changed = (name: string, from?: string, to?: string) => ({ name, from, to, isChange: true });
  const stated = (name: string, to: string) => ({ name, from: undefined, to, isChange: false });
  const urls = ['https://a.example', 'https://b.example'];
  it.each([
    [{ from: { callbackUrl: 'ab' }, to: { callbackUrl: 'cd' } }, [changed('callback URL', 'ab', 'cd')]],
    [{ from: { returnUrls: [] }, to: { returnUrls: urls } }, [changed('return URLs', undefined, urls.join(', '))]],
    [{ from: { secret: 'ab' }, to: null }, [changed('secret', 'ab')]],
    [{ from: null, to: { status: 'registered', issuer: null } }, [stated('status', 'registered')]],
    [{ from: { oauthIssuer: 'a', id: 'b' }, to: { oauthIssuer: 'c', id: 'b' } }, [changed('OAuth issuer', 'a', 'c')]],
    [
      { from: { isWithdrawn: false }, to: { isWithdrawn: true }, claimed: 2 },
      [changed('is withdrawn', 'false', 'true'), stated('claimed', '2')],
    ],
    [{ role: 'admin' }, [stated('role', 'admin')]],
    [{ to: 'suspended' }, [stated('value', 'suspended')]],
    [{}, []],
    [null, []],
  ])('are shown by name where they differ: the detail %j', (detail, shown) =>
    expect(statedValues(detail)).toEqual(shown),
  );
});
