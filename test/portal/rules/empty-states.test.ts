import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import type { PageContext } from '../../../web/portal/page';
import { accessPage } from '../../../web/portal/pages/access';
import { contactsPage } from '../../../web/portal/pages/contacts';
import { historyPage } from '../../../web/portal/pages/history';
import { whoLookedPage } from '../../../web/portal/pages/who-looked';
import { translatorFor } from '../../../web/portal/request/languages';
import { packageFolder } from '../../../web/shared/package-folder';
import type { View } from '../../../web/shared/page-response';
import { templates } from '../../../web/shared/templates';

const render = templates([
  join(REPOSITORY_ROOT, 'web', 'portal', 'views'),
  join(packageFolder('govuk-frontend'), 'dist'),
]);

const SESSION = {
  mpxn: '1012345678',
  isCurrent: true,
  isContested: false,
  mayJudge: false,
  moveInDate: null,
  returnUrl: null,
};
const CONTACT = { id: 'c', kind: 'EMAIL', shown: 'm…@s.example', since: '2026-01-01T00:00:00Z', dataUsers: [] };

const NO_RECORDS = { nodes: [], nextCursor: null };
const LIMITS = [
  ['a former occupant', { isCurrent: false }],
  ['a customer of a contested home', { isContested: true }],
] as const;

/** Returns the HTML of a page in English, with these results of all operations. */
async function htmlOf(page: typeof contactsPage, results: Readonly<Record<string, unknown>>): Promise<string> {
  const execute = () =>
    Promise.resolve({ accessLooks: [], identityLooks: [], contacts: [], suppliers: [], page: NO_RECORDS, ...results });
  const translate = translatorFor('en');
  const context = {
    execute,
    executeAsCustomer: execute,
    language: 'en',
    translate,
    query: {},
    returnLink: () => undefined,
  } as unknown as PageContext;
  const { view, model } = (await page.respond(context)) as View;
  return render(view, { t: translate, formToken: () => '', languages: [], ...model });
}

describe('the page “Who you are”', () => {
  it('says so if no contact is registered', async () => {
    const html = await htmlOf(contactsPage, { session: SESSION });
    expect(html).toContain('No email address or passkey is registered');
    expect(html).not.toContain('These email addresses and passkeys are registered');
  });

  it('recommends the supplier for an unknown contact only if one offers a sign-in', async () => {
    const contested = { session: { ...SESSION, isContested: true }, contacts: [{ ...CONTACT, standing: 'OTHER' }] };
    const alone = await htmlOf(contactsPage, contested);
    expect(alone).toContain('Ask the organisation that registered it or,');
    expect(alone).not.toMatch(/supplier/i);
    const offered = { ...contested, suppliers: [{ mpid: 'ABCD', displayName: 'Fernhill' }] };
    expect(await htmlOf(contactsPage, offered)).toContain('Sign in at your energy supplier below.');
  });

  it('offers proofs of other contacts only to a customer who signed in by a contact', async () => {
    const others = [
      { ...CONTACT, id: 'd', standing: 'OTHER' },
      { ...CONTACT, id: 'e', kind: 'PASSKEY', shown: null, standing: 'OTHER' },
    ];
    const session = { ...SESSION, isContested: true };
    const own = { ...CONTACT, shown: 'n…@s.example', standing: 'OWN' };
    const PROOFS = /Email a link to|data-passkey|Prove/;
    expect(await htmlOf(contactsPage, { session, contacts: [own, ...others] })).toMatch(PROOFS);
    expect(await htmlOf(contactsPage, { session, contacts: others })).not.toMatch(PROOFS);
  });

  it('says of a contact without an origin that the customer may not read it, and still names it differently', async () => {
    const hidden = { ...CONTACT, standing: 'OTHER', since: null };
    const own = { ...CONTACT, shown: 'n…@s.example', standing: 'OWN' };
    const html = await htmlOf(contactsPage, {
      session: { ...SESSION, isContested: true },
      contacts: [hidden, hidden, own],
    });
    expect(html.match(/because it was registered before yours/g)).toHaveLength(2);
    expect(html.match(/>Since</g)).toHaveLength(1);
    for (const number of [1, 2]) expect(html).toContain(`Email a link to m…@s.example (number ${number})`);
  });

  it('names each contact differently if masked addresses or passkeys are equal', async () => {
    const of = (displayName: string) => ({ dataUsers: [{ displayName, contactUrl: 'https://larkhill.example/' }] });
    const html = await htmlOf(contactsPage, {
      session: { ...SESSION, isContested: true, mayJudge: true },
      contacts: [
        { ...CONTACT, ...of('Larkhill'), standing: 'OTHER' },
        { ...CONTACT, ...of('Fernhill'), standing: 'OTHER' },
        { ...CONTACT, ...of('Fernhill'), standing: 'OTHER', since: '2026-02-03T12:00:00Z' },
        { ...CONTACT, ...of('Fernhill'), standing: 'OTHER', since: '2026-02-03T18:00:00Z' },
        { ...CONTACT, shown: 'n…@s.example', standing: 'OTHER' },
        { ...CONTACT, kind: 'PASSKEY', shown: null, standing: 'OTHER' },
        { ...CONTACT, kind: 'PASSKEY', shown: null, standing: 'OTHER', since: '2026-02-03T18:00:00Z' },
      ],
    });
    const names = [
      'm…@s.example, registered by Larkhill on 1 January 2026',
      'm…@s.example, registered by Fernhill on 1 January 2026',
      'm…@s.example, registered by Fernhill on 3 February 2026 (number 1)',
      'm…@s.example, registered by Fernhill on 3 February 2026 (number 2)',
      'n…@s.example',
      'A passkey, registered on 1 January 2026',
      'A passkey, registered on 3 February 2026',
    ];
    expect(
      [...html.matchAll(/<h2 class="govuk-summary-card__title"[^>]*>(.*?)<\/h2>/g)].map(([, name]) => name),
    ).toEqual(names);
    for (const verdict of ['This is ours:', 'This is not ours:'])
      for (const name of names) expect(html).toContain(`>${verdict} ${name}</button>`);
  });
});

describe('the page “Who looked”', () => {
  it.each(LIMITS)('of %s says that it lists only lookups of own records', async (_, limits) => {
    const html = await htmlOf(whoLookedPage, { session: { ...SESSION, ...limits } });
    expect(html).toContain('You see only who looked at what was registered for you.');
    expect(html).not.toContain('No organisation has looked.');
  });

  it('of the present occupant says that no organisation has looked', async () => {
    const html = await htmlOf(whoLookedPage, { session: SESSION });
    expect(html).toContain('No organisation has looked.');
    expect(html).not.toContain('You see only');
  });
});

describe('the pages “Who has access” and “History”', () => {
  it.each(LIMITS)('of %s say that they and the downloads contain only own records', async (_, limits) => {
    const results = { session: { ...SESSION, ...limits } };
    const access = await htmlOf(accessPage, results);
    expect(access).toContain('No access to your meter data is registered for you.');
    const history = await htmlOf(historyPage, results);
    expect(history).toContain('You see only access that was registered for you.');
    expect(history).toContain('None of it has ended yet.');
    for (const html of [access, history]) expect(html).toContain('the history: only what was registered for you.');
  });

  it('of the present occupant say that there is no access', async () => {
    const access = await htmlOf(accessPage, { session: SESSION });
    expect(access).toContain('No organisation is registered as having access to your meter data.');
    const history = await htmlOf(historyPage, { session: SESSION });
    expect(history).toContain('No access has ended yet.');
    for (const html of [access, history]) expect(html).not.toContain('registered for you');
  });
});
