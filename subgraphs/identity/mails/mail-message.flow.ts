import { withoutBidiControls } from '../../../schema/visible-text';
import { type MailMessage, htmlMail } from '../../server/mail-server';
import type { Language, OutgoingMail, SignInLinkMail } from './outgoing-mail';
import { type HomeText, MAIL_TEXTS, type MailText } from './texts';

/** Public URLs of links in mails. */
interface LinkUrls {
  readonly portalUrl: string;
  readonly identityRedirectUrl: string;
}

interface Section extends MailText {
  readonly language: Language;
  readonly sender: string;
  /** URL of the link. The page has the language of the section. */
  readonly address: string;
}

/** Composes a mail in both languages, the chosen one first; English first without a choice. */
export function mailMessage(mail: OutgoingMail, urls: LinkUrls): MailMessage {
  const chosen = 'language' in mail ? mail.language : 'en';
  const languages = [chosen, chosen === 'en' ? 'cy' : 'en'] as const;
  const sections = languages.map((language) => sectionOf(mail, language, addressOf(mail, urls)));
  const subject = sections.map((section) => section.subject).join(' · ');
  return {
    subject,
    text: sections.map(plainText).join(`\n${'-'.repeat(40)}\n\n`),
    html: htmlMail(chosen, escaped(subject), sections.map(htmlSection).join('\n<hr>\n')),
  };
}

/** Display name of the sender of the register's mails. */
export const SENDER = `${MAIL_TEXTS.en.sender} · ${MAIL_TEXTS.cy.sender}`;

function sectionOf(mail: OutgoingMail, language: Language, page: string): Section {
  const { sender } = MAIL_TEXTS[language];
  return { language, sender, address: `${page}?lang=${language}`, ...textOf(mail, language) };
}

function textOf(mail: OutgoingMail, language: Language): MailText {
  const texts = MAIL_TEXTS[language];
  switch (mail.kind) {
    case 'reidentification-link':
      return texts.reidentification(oneLine(mail.organisation), timeIn(language, mail.expiresAt));
    case 'passkey-proof-link':
      return texts.passkeyProof(oneLine(mail.organisation), timeIn(language, mail.expiresAt));
    case 'sign-in-link':
      return texts.signIn(timeIn(language, mail.expiresAt), homeIn(language, mail));
    case 'sign-in-notice':
      return texts.signInNotice(timeIn(language, mail.at), mail);
    case 'contest-notice':
      return texts.contestNotice(oneLine(mail.organisation ?? ''), timeIn(language, mail.at), mail);
    case 'contact-link':
      return texts.contactLink(timeIn(language, mail.expiresAt));
  }
}

function homeIn(language: Language, { home }: SignInLinkMail): HomeText | undefined {
  if (home === undefined) return undefined;
  return { ...home, organisation: oneLine(home.organisation ?? ''), day: dayIn(language, home.registeredAt) };
}

/** URL of the page of the link. It contains its own secret, and opening it confirms nothing before a button is pressed. */
function addressOf(mail: OutgoingMail, { portalUrl, identityRedirectUrl }: LinkUrls): string {
  switch (mail.kind) {
    case 'reidentification-link':
      return `${identityRedirectUrl}/link/${mail.secret}`;
    case 'passkey-proof-link':
      return `${identityRedirectUrl}/proof/${mail.secret}`;
    case 'sign-in-link':
      return `${portalUrl}/sign-in/link/${mail.secret}`;
    case 'contact-link':
      return `${portalUrl}/contacts/link/${mail.secret}`;
    case 'sign-in-notice':
    case 'contest-notice':
      return portalUrl;
  }
}

/** Removes line breaks from a name, which could otherwise start a header or paragraph, and what reverses the text after it. */
function oneLine(name: string): string {
  return withoutBidiControls(name)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

const formatsOf = (locale: string) => {
  const dayFormat = { timeZone: 'Europe/London', dateStyle: 'long' } as const;
  return {
    day: new Intl.DateTimeFormat(locale, dayFormat),
    time: new Intl.DateTimeFormat(locale, { ...dayFormat, timeStyle: 'short' }),
  };
};

const FORMATS = { en: formatsOf('en-GB'), cy: formatsOf('cy-GB') } as const satisfies Readonly<
  Record<Language, unknown>
>;

const timeIn = (language: Language, instant: Date) => FORMATS[language].time.format(instant);
const dayIn = (language: Language, instant: Date) => FORMATS[language].day.format(instant);

function plainText({ sender, before, link, address, after }: Section): string {
  return [sender, ...before, `${link}:\n${address}`, ...after].join('\n\n') + '\n';
}

const BUTTON =
  'display: inline-block; padding: 10px 16px; background: #00703c; color: #ffffff; font-weight: bold; text-decoration: none;';

function htmlSection({ language, sender, before, link, address, after }: Section): string {
  const paragraph = (text: string) => `<p>${escaped(text)}</p>`;
  const href = escaped(address);
  return `<div lang="${language}" style="max-width: 600px;">
<h1 style="font-size: 24px;">${escaped(sender)}</h1>
${before.map(paragraph).join('\n')}
<p><a href="${href}" style="${BUTTON}">${escaped(link)}</a></p>
<p style="word-break: break-all;">${href}</p>
${after.map(paragraph).join('\n')}
</div>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
