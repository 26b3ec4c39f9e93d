import type { AccountRole } from '../../schema/roles';
import { type OpenStream, openStream } from './event-source';
import { PortalVisitor } from './portal-visitor';
import type { SharedRegister } from './register';
import { accountOf } from './rest-client';

/** A browser without scripts at the console, with its cookies. */
export class ConsoleVisitor extends PortalVisitor {
  /** Signs in with an account; returns the response to the form. */
  async signIn(accountId: string, secretKey: string) {
    const page = await this.get('/sign-in');
    return this.press(page, '/sign-in', { 'account-id': accountId, 'secret-key': secretKey });
  }

  /** Opens a live page and its stream, which starts at the cursor of the page. */
  async watch(query = ''): Promise<OpenStream> {
    const { html } = await this.get(`/?${query}`);
    const [, after = ''] = /data-after="([^"]*)"/.exec(html) ?? [];
    return this.stream(`${query}&after=${encodeURIComponent(after)}`);
  }

  /** Opens the stream of a live page. */
  stream(query = '', headers: Record<string, string> = {}): Promise<OpenStream> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return openStream(`${this.portal}/live/stream?${query}`, { cookie, ...headers });
  }
}

/** Signs in with a demo account of the back office. */
export async function backOffice(
  register: Pick<SharedRegister, 'console' | 'sandbox'>,
  role: AccountRole = 'admin',
): Promise<ConsoleVisitor> {
  const { account_id, secret_key } = accountOf(register.sandbox, role);
  const visitor = new ConsoleVisitor(register.console);
  const response = await visitor.signIn(account_id, secret_key);
  if (response.status !== 303)
    throw new Error(`the sign-in to the console received the response ${response.status}: ${response.text}`);
  return visitor;
}
