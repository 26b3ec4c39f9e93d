import type { Language, OutgoingMail, ReidentificationMail } from '../../../subgraphs/identity/mails/outgoing-mail';
import { mailMessage } from '../../../subgraphs/identity/mails/mail-message.flow';

const urls = { portalUrl: 'https://portal.example', identityRedirectUrl: 'https://portal.example/identify' };
const recordId = '00000000-0000-4000-8000-000000000000';
const secret = 'S'.repeat(43);
const organisation = 'Harbourlight & Søn <Energy> "Ltd"';
const ESCAPED = 'Harbourlight &amp; Søn &lt;Energy&gt; &quot;Ltd&quot;';
const expiresAt = new Date('2026-07-03T13:32:10Z');

const linkMails = (language: Language): readonly [string, OutgoingMail, string][] => [
  [
    'a passkey proof',
    { kind: 'passkey-proof-link', recordId, organisation, secret, expiresAt, language },
    '/identify/proof/',
  ],
  ['a sign-in link', { kind: 'sign-in-link', recordId, secret, expiresAt, language }, '/sign-in/link/'],
];
const reidentification: ReidentificationMail = {
  kind: 'reidentification-link',
  recordId,
  organisation,
  secret,
  expiresAt,
};
const notice = {
  kind: 'sign-in-notice',
  recordId,
  at: new Date('2026-01-03T13:32:10Z'),
  means: 'passkey',
  isLimited: false,
} as const;

const everyMail: readonly [string, OutgoingMail, string][] = [
  ['a re-identification', reidentification, '/identify/link/'],
  ...linkMails('en'),
  ...linkMails('cy'),
];

describe('A mail with a link', () => {
  it.each(everyMail)(
    '(%s) contains it in both languages and both parts, with the consequence and the expiry',
    (_, mail, path) => {
      const { text, html } = mailMessage(mail, urls);
      const address = `https://portal.example${path}${secret}`;
      for (const part of [text, html]) {
        for (const language of ['en', 'cy']) expect(part).toContain(`${address}?lang=${language}`);
        expect(part).toContain('When you press the button on that page');
        expect(part).toContain('Pan fyddwch yn pwyso’r botwm ar y dudalen honno');
        expect(part).toContain('until 3 July 2026 at 14:32 (UK time)');
        expect(part).toContain('tan 3 Gorffennaf 2026 am 14:32 (amser y DU)');
        expect(part).toContain('If you did not ask for this, do nothing.');
        expect(part).toContain('Os na wnaethoch ofyn am hyn, peidiwch â gwneud dim.');
      }
    },
  );

  it.each(everyMail)('(%s) declares its language in the HTML, and that of each part', (_, mail) => {
    const { html } = mailMessage(mail, urls);
    const language = 'language' in mail ? mail.language : 'en';
    expect([...html.matchAll(/lang="(\w+)"/g)].map(([, found]) => found)).toEqual([
      language,
      language,
      language === 'en' ? 'cy' : 'en',
    ]);
  });
});

describe('The mail of a re-identification', () => {
  it('states in short sentences what the button does, and what the organisation does not learn', () => {
    const { text } = mailMessage({ ...reidentification, organisation: 'Larkhill' }, urls);
    for (const effect of [
      'you confirm to Larkhill that it is you. It can then register its access to data from your energy meter.',
      'The page says what else it can do.\n\nLarkhill does not learn your e-mail address from us.',
      'byddwch yn cadarnhau i Larkhill mai chi sydd yno. Yna gall gofrestru ei fynediad at ddata o’ch mesurydd ynni.',
      'Mae’r dudalen yn dweud beth arall y gall ei wneud.\n\nNi fydd Larkhill yn cael gwybod eich cyfeiriad e-bost gennym ni.',
    ])
      expect(text).toContain(effect);
  });
});

describe('Every mail', () => {
  it('has the Welsh word for a passkey that the pages have', () => {
    const texts = [...everyMail.map(([, mail]) => mail), notice].map((mail) => mailMessage(mail, urls).text);
    expect(texts.filter((text) => text.includes('-allwedd')).length).toBeGreaterThan(2);
    expect(texts.join()).not.toMatch(/cyfrinallwedd|chyfrinallwedd/);
  });

  it('about a sign-in states how often such mails are sent, and whether there may have been more', () => {
    const { text: first } = mailMessage(notice, urls);
    const { text: merged } = mailMessage({ ...notice, isMerged: true }, urls);
    for (const text of [first, merged]) {
      expect(text).toContain('At most one mail in 15 minutes');
      expect(text).toContain('Un neges ar y mwyaf mewn 15 munud');
      expect(text).toContain('3 January 2026 at 13:32 (UK time)');
    }
    for (const more of ['There may have been more sign-ins', 'Efallai fod rhagor o fewngofnodi']) {
      expect(first).not.toContain(more);
      expect(merged).toContain(more);
    }
  });

  it.each([
    ['if customers can sign in at a supplier', true],
    ['not if they can sign in at none', false],
  ])('about a contest recommends the energy supplier, %s', (_, hasSupplierSignIn) => {
    const { at } = notice;
    const mail = { kind: 'contest-notice', recordId, duid: 'duid_1', organisation, at, hasSupplierSignIn } as const;
    const { text } = mailMessage(mail, urls);
    for (const supplier of ['energy supplier', 'cyflenwr ynni'])
      expect(text.includes(supplier)).toBe(hasSupplierSignIn);
    for (const other of ['do not prove the other one', 'peidiwch â phrofi’r llall'])
      expect(text.includes(other)).toBe(!hasSupplierSignIn);
    for (const advice of [/ask Harbourlight[^.]* about it/i, /hol(?:i|wch) Harbourlight[^.]* amdano/i])
      expect(text).toMatch(advice);
  });

  it('starts with the chosen language, also in its subject', () => {
    const [, welsh] = linkMails('cy')[1] as [string, OutgoingMail, string];
    const { subject, text } = mailMessage(welsh, urls);
    expect(subject).toBe(
      'Eich dolen i fewngofnodi i’r gofrestr mynediad at ddata ynni · Your link to sign in to the energy data access register',
    );
    expect(text.indexOf('Gofynnodd rhywun')).toBeLessThan(text.indexOf('A link to sign in with'));
    const english = mailMessage({ ...(welsh as OutgoingMail & { kind: 'sign-in-link' }), language: 'en' }, urls);
    expect(english.text.indexOf('A link to sign in with')).toBeLessThan(english.text.indexOf('Gofynnodd rhywun'));
  });

  it('names the organisation as text, never as markup', () => {
    for (const mail of [reidentification, linkMails('en')[0]?.[1] as OutgoingMail]) {
      const { subject, text, html } = mailMessage(mail, urls);
      expect(subject.split(organisation)).toHaveLength(3);
      expect(text).toContain(organisation);
      expect(html).toContain(ESCAPED);
      expect(html).not.toContain('<Energy>');
    }
  });

  it('contains no control character of a name that reverses the text after it', () => {
    for (const mail of [reidentification, linkMails('en')[0]?.[1] as ReidentificationMail]) {
      const { subject, text, html } = mailMessage({ ...mail, organisation: 'Larkhill\u202E Energy\u2067' }, urls);
      for (const part of [subject, text, html]) {
        expect(part).toContain('Larkhill Energy');
        expect(part).not.toMatch(/\p{Bidi_Control}/u);
      }
    }
  });

  it('puts a name on one line, so that it starts no header or paragraph', () => {
    const odd = 'Evil\r\nBcc: all@example.org\u2028\u2029\u0085\nCorp';
    const { subject, text } = mailMessage({ ...reidentification, organisation: odd }, urls);
    expect(subject).not.toMatch(/[\r\n\u0085\u2028\u2029]/);
    expect(text).toContain('Evil Bcc: all@example.org Corp');
  });

  it.each(['magic-link', 'passkey', 'supplier'] as const)(
    '(a notice of a sign-in by %s) contains time and method',
    (means) => {
      const { text, html } = mailMessage({ ...notice, means }, urls);
      const how = { 'magic-link': 'sent by e-mail', passkey: 'a passkey', supplier: 'at an energy supplier' }[means];
      for (const part of [text, html]) {
        expect(part).toContain(how);
        expect(part).toContain('On 3 January 2026 at 13:32 (UK time)');
        expect(part).toContain('Ar 3 Ionawr 2026 am 13:32 (amser y DU)');
        expect(part).toContain('https://portal.example');
      }
    },
  );

  it.each([
    ['magic-link', 'only the access that was registered for the email address or passkey', 'Dim ond y mynediad'],
    ['passkey', 'only the access that was registered for the email address or passkey', 'Dim ond y mynediad'],
    ['supplier', 'They can confirm or reject each email address and passkey', 'Gallant gadarnhau neu wrthod'],
  ] as const)('(a notice of a limited sign-in by %s) states what it opens', (means, english, welsh) => {
    const whole = ['They can see which organisations have access', 'Gallant weld pa sefydliadau sydd â mynediad'];
    const limited = mailMessage({ ...notice, means, isLimited: true }, urls);
    for (const part of [limited.text, limited.html]) {
      for (const text of [english, welsh]) expect(part).toContain(text);
      for (const text of whole) expect(part).not.toContain(text);
    }
    const { text } = mailMessage({ ...notice, means }, urls);
    for (const each of whole) expect(text).toContain(each);
  });
});
