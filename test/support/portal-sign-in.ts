import type { CapturedMail } from '../../sandbox/mailbox';
import type { SoftwareAuthenticator } from './authenticator';
import { PortalVisitor, type VisitedPage } from './portal-visitor';
import type { SharedRegister } from './register';
import { until } from './until';

/** Waits for a mailed link that is not in `before`; returns its path. */
export async function mailedPath(
  { mailbox }: Pick<SharedRegister, 'mailbox'>,
  to: string,
  kind: 'sign-in/link' | 'identify/link' | 'identify/proof' | 'contacts/link',
  before: ReadonlySet<string> = new Set(),
): Promise<string> {
  return until(async () => {
    const paths = await mailedPaths(mailbox, to, kind);
    return paths.find((path) => !before.has(path));
  });
}

/** Returns the paths of all mailed links of a kind, newest first. */
export async function mailedPaths(mailbox: string, to: string, kind: string): Promise<string[]> {
  const mails = (await (await fetch(`${mailbox}?to=${encodeURIComponent(to)}`)).json()) as CapturedMail[];
  const link = new RegExp(`/${kind}/[\\w-]{43}`);
  return mails.flatMap(({ text }) => link.exec(text)?.[0] ?? []);
}

/** Signs in a customer by a mailed link; `entry` is the query string of a Data User's link to the portal. */
export async function signedInVisitor(
  register: Pick<SharedRegister, 'portal' | 'mailbox'>,
  entry: string,
  email: string,
): Promise<PortalVisitor> {
  const visitor = new PortalVisitor(register.portal);
  const before = new Set(await mailedPaths(register.mailbox, email, 'sign-in/link'));
  await visitor.get(`/?${entry}`);
  await visitor.press(await visitor.get('/sign-in'), '/sign-in/link');
  const path = await mailedPath(register, email, 'sign-in/link', before);
  const signedIn = await visitor.press(await visitor.get(path), path);
  if (signedIn.location !== '/access')
    throw new Error(`the sign-in received the response ${signedIn.status}: ${signedIn.text}`);
  return visitor;
}

/** Returns the JSON lines of a log, without the logins and addresses that the sandbox prints. */
export function logLines(register: Pick<SharedRegister, 'log'>): string {
  return register
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .join('\n');
}

/** Fetches the options of a form, as the script of its page does; returns the response of the authenticator. */
export async function credentialFor(
  visitor: PortalVisitor,
  page: VisitedPage,
  form: string,
  authenticator: SoftwareAuthenticator,
): Promise<string> {
  const { fields = {} } = page.forms.find(({ action }) => action === form) ?? {};
  const { html } = await visitor.post(`${form}/options`, fields, { accept: 'application/json' });
  const { options } = JSON.parse(html) as { options: never & { user?: object } };
  return JSON.stringify(options['user'] === undefined ? authenticator.get(options) : authenticator.create(options));
}
