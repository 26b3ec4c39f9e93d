import type { CapturedMail, Mailbox } from '../../sandbox/mailbox';
import { until } from './until';

/** A fixture that captures mails. */
export interface Posted {
  readonly mailbox: Pick<Mailbox, 'url'>;
}

/** Returns the mails to an address so far, the newest first. */
export async function mailsNow({ mailbox }: Posted, to: string): Promise<CapturedMail[]> {
  return (await (await fetch(`${mailbox.url}?to=${encodeURIComponent(to)}`)).json()) as CapturedMail[];
}

/** Waits for a number of mails to an address. */
export function mailsOf(fixture: Posted, to: string, count: number): Promise<CapturedMail[]> {
  return until(async () => {
    const mails = await mailsNow(fixture, to);
    return mails.length >= count ? mails : undefined;
  });
}

/** Returns the secret in the link of the newest mail. */
export function secretIn([newest]: readonly CapturedMail[]): string {
  const [, secret] = /\/sign-in\/link\/([\w-]{43})/.exec(newest?.text ?? '') ?? [];
  if (secret === undefined) throw new Error(`there is no sign-in link in: ${newest?.text}`);
  return secret;
}

/** Reports whether a mail contains a sign-in link. */
export function isLinkMail({ text }: CapturedMail): boolean {
  return text.includes('/sign-in/link/');
}

/** Reports whether a mail is a notice of a sign-in. */
export function isSignInNotice({ subject }: CapturedMail): boolean {
  return subject.startsWith('Somebody signed in');
}
